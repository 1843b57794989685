//! The writer of the element that a fetch reads.

use super::error::DebugError;
use super::launches::Before;
use super::session::Session;
use super::why::{Node, past};
use ctm_isa::isa::LETTERS;
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::{Bytes, Destination, Fetched, Reference, Step, Store};
use ctm_machine::memory::{self, Surface, wrap_coordinate};

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
    /// The element that the instruction after `step` fetches for a slot in one channel, and its
    /// writer. It follows the point's own writes of the launch, and names the write of an earlier
    /// launch.
    pub(super) fn fetched(
        &mut self,
        slot: usize,
        channel: usize,
        step: u64,
        depth: usize,
        left: &mut usize,
    ) -> Result<Node, DebugError> {
        let mut found = None;
        self.replay(step, step + 1, &mut |step| found = step.fetch(slot).copied())?;
        let bound = |fetch: Fetched| Some((fetch, self.launch().inputs[fetch.input]?));
        let Some((fetch, surface)) = found.and_then(bound) else {
            return Err(DebugError(format!("step {step} fetches nothing")));
        };
        let ((x, y), of_element) = element_of(&surface, &fetch, channel);
        let bits = fetch.channels[channel];
        let mut node = Node {
            name: format!("i{}[{x},{y}].{}", fetch.input, LETTERS[of_element]),
            value: format!("{} ({bits:08x})", f32::from_bits(bits)),
            slot,
            place: None,
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
        let sent = |step: &Step<'_>| {
            let meets = |&(of, address): &(usize, u32)| of == slot && bytes.meets(address, 15);
            let mut written = step.writes(slot).filter(|written| written.place.is_none());
            written.next().filter(|_| step.sent.iter().any(meets)).map(|w| past(step, slot, &w))
        };
        let reads_back = self.launch().reads_back();
        if let Some(writer) = self.last(if reads_back { step } else { 0 }, &sent)? {
            self.written_by(&mut node, writer, depth, left)?;
            return Ok(node);
        }
        node.note = self.earlier_write(bytes)?;
        Ok(node)
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
            let last = Reference::new().last_store(checked, &memory, bytes, &self.launches.stop)?;
            if let Some(Store { point: (i, j), pc, destination, .. }) = last {
                let through = match destination {
                    Destination::Uncached => format!("an uncached write at pc {pc}"),
                    Destination::Output(n) => format!("output {n}"),
                    Destination::Condition => "the conditional buffer".to_string(),
                };
                let (pass, repetition) = self.plan().pass_of(launch);
                let repetition = match self.plan().repeat(pass) {
                    1 => String::new(),
                    n => format!(" repetition {repetition} of {n},"),
                };
                return Ok(format!(
                    "written by pass {pass},{repetition} point ({i}, {j}), {through}"
                ));
            }
        }
        Ok("from the job's data".to_string())
    }
}
