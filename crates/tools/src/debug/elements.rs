//! Who wrote what a fetch reads.

use super::effects::written_by_sending;
use super::error::DebugError;
use super::launches::Before;
use super::session::Session;
use super::why::Node;
use ctm_isa::isa::LETTERS;
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::{Destination, Fetched, GroupState, Observer, Reference};
use ctm_machine::memory::{self, Element, Surface, wrap_coordinate};

/// What the running instruction fetches for a slot.
struct Fetches {
    slot: usize,
    found: Option<Fetched>,
}

impl Observer for Fetches {
    fn load(&mut self, _group: &GroupState, slot: usize, fetch: &Fetched) {
        if slot == self.slot {
            self.found = Some(*fetch);
        }
    }
}

/// Some bytes of an element.
#[derive(Clone, Copy)]
struct Bytes {
    address: u32,
    mask: u16,
}

impl Bytes {
    fn meets(self, address: u32, mask: u16) -> bool {
        let distance = i64::from(address) - i64::from(self.address);
        let shifted = match u32::try_from(distance.abs()) {
            Ok(by) if by < 16 && distance >= 0 => u32::from(mask) << by,
            Ok(by) if by < 16 => u32::from(mask) >> by,
            _ => 0,
        };
        shifted & u32::from(self.mask) != 0
    }
}

/// The last uncached write of a slot to some bytes: the step and the pc of its instruction.
struct Sent {
    slot: usize,
    bytes: Bytes,
    found: Option<(u64, u32)>,
}

impl Observer for Sent {
    fn sent(&mut self, group: &GroupState, slot: usize, address: u32) {
        if slot == self.slot && self.bytes.meets(address, 15) {
            self.found = Some((group.executed(), group.pc()));
        }
    }
}

/// The write of a launch that decides what is in some bytes afterwards.
struct LastStore {
    bytes: Bytes,
    /// Its place in the order in which writes take effect: kind, row, column.
    key: (u8, u32, u32),
    found: Option<String>,
}

impl Observer for LastStore {
    fn store(
        &mut self,
        (i, j): (u32, u32),
        pc: u32,
        destination: Destination,
        address: u32,
        element: &Element,
    ) {
        let (kind, through) = match destination {
            Destination::Uncached => (0, format!("an uncached write at pc {pc}")),
            Destination::Output(n) => (1, format!("output {n}")),
            Destination::Condition => (2, "the conditional buffer".to_string()),
        };
        // A point's own writes come in the order in which they take effect.
        if self.bytes.meets(address, element.byte_mask) && (kind, j, i) >= self.key {
            self.key = (kind, j, i);
            self.found = Some(format!("point ({i}, {j}), {through}"));
        }
    }
}

/// The element that channel `channel` of a fetch comes from, and the element's channel. The gathering
/// modes take the first channel of four elements.
fn element_of(surface: &Surface, fetch: &Fetched, channel: usize) -> ((u32, u32), usize) {
    if !surface.tiling.is_2x2() {
        return (fetch.read, channel);
    }
    let (dx, dy) = [(1, 0), (0, 1), (1, 1), (0, 0)][channel & 3];
    let place = |v: i32, d: i64, size| wrap_coordinate(surface.wrap, i64::from(v) + d, size);
    ((place(fetch.meant.0, dx, surface.width), place(fetch.meant.1, dy, surface.height)), 0)
}

impl Session<'_> {
    /// What the instruction after `step` fetches for a slot in one channel, and who wrote it. It
    /// follows the point's own writes of the launch, and names the write of an earlier launch.
    pub(super) fn fetched(
        &mut self,
        slot: usize,
        channel: usize,
        step: u64,
        depth: usize,
        left: &mut usize,
    ) -> Result<Node, DebugError> {
        let mut fetches = Fetches { slot, found: None };
        self.replay(step, step + 1, Some(&mut fetches), &mut |_| {})?;
        let bound = |fetch: Fetched| Some((fetch, self.launch().inputs[fetch.input]?));
        let Some((fetch, surface)) = fetches.found.and_then(bound) else {
            return Err(DebugError(format!("step {step} fetches nothing")));
        };
        let ((x, y), of_element) = element_of(&surface, &fetch, channel);
        let bits = fetch.channels[channel];
        let mut node = Node {
            name: format!("i{}[{x},{y}].{}", fetch.input, LETTERS[of_element]),
            value: format!("{} ({bits:08x})", f32::from_bits(bits)),
            writer: None,
            from: Vec::new(),
            note: String::new(),
        };
        let mask = memory::encode(surface.format, [0; 4], 1 << of_element).byte_mask;
        if mask == 0 {
            node.note = "not in memory: the format has no such channel".to_string();
            return Ok(node);
        }
        if depth == 0 || *left == 0 {
            node.note = "...".to_string();
            return Ok(node);
        }
        let bytes = Bytes { address: surface.address(x, y), mask };
        if let Some((at, pc)) = self.own_write(slot, bytes, step)? {
            node.writer = Some((at, self.line(pc)));
            let launch = self.launch().clone();
            let mut cells = Vec::new();
            self.replay(at, at, None, &mut |moment| {
                cells = written_by_sending(&launch, moment.group, slot);
            })?;
            node.from = self.trace_all(cells, at, depth, left)?;
            return Ok(node);
        }
        node.note = self.earlier_write(bytes)?;
        Ok(node)
    }

    /// The last uncached write of a slot to some bytes before a step of the running group.
    fn own_write(
        &mut self,
        slot: usize,
        bytes: Bytes,
        step: u64,
    ) -> Result<Option<(u64, u32)>, DebugError> {
        let mut to = if self.launch().reads_back() { step } else { 0 };
        let mut sent = Sent { slot, bytes, found: None };
        while to > 0 && sent.found.is_none() {
            let from = self.checkpoint_before(to - 1);
            self.replay(from, to, Some(&mut sent), &mut |_| {})?;
            to = from;
        }
        Ok(sent.found)
    }

    /// The write of an earlier launch to some bytes, in words.
    fn earlier_write(&mut self, bytes: Bytes) -> Result<String, DebugError> {
        let address = u64::from(bytes.address);
        for launch in (0..self.launches.current.0).rev() {
            let writes = &self.launches.at(launch).writes;
            if !writes.iter().any(|w| w.span.start < address + 16 && address < w.span.end) {
                continue;
            }
            let Before { memory, pool } = self.launches.before_launch(launch)?;
            let ready = pool.launch(self.launches.at(launch));
            let checked = &Checked::new(&ready)?;
            let (groups, stop) = (checked.grouping.sample(None), &self.launches.stop);
            let new = || LastStore { bytes, key: (0, 0, 0), found: None };
            let mut last = new();
            let take = &mut |other: LastStore| {
                if other.found.is_some() && other.key >= last.key {
                    last = other;
                }
            };
            Reference::new().observe(checked, &memory, &groups, stop, &new, take)?;
            if let Some(write) = last.found {
                let (pass, repetition) = self.plan().pass_of(launch);
                let repetition = match self.plan().repeat(pass) {
                    1 => String::new(),
                    n => format!(" repetition {repetition} of {n},"),
                };
                return Ok(format!("written by pass {pass},{repetition} {write}"));
            }
        }
        Ok("from the job's data".to_string())
    }
}
