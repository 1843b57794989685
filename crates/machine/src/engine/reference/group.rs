//! The state of one group of points that share a pc.

use super::output::Pending;
use super::shared::Touched;
use crate::engine::Checked;
use crate::engine::groups::{Grouping, SLOTS, Tile};
use crate::engine::writes::OwnWrites;
use crate::launch::{Constants, Interpolant, Launch, Shared};
use ctm_isa::float;
use ctm_isa::isa::{
    FLOAT_CONSTANTS, Instruction, Place, Read, Register, Source, SourceKind, TEMPORARIES, To,
    Whose, Write,
};
use std::mem::take;

/// One frame of the loop stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Iterations left, the current one included.
    pub remaining: u32,
    /// aL outside the loop.
    pub saved_al: i32,
    /// Slots that broke out, bit n for slot n.
    pub broken: u64,
    /// Slots that skip the rest of the iteration.
    pub continued: u64,
}

/// The state of flow control of `N` points that share a pc, except for the pc itself. Sets of slots
/// are masks, bit n for slot n.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FlowState<const N: usize> {
    /// Slots that wait at a branch.
    pub inactive: u64,
    /// Their branch counters; 0 for all others.
    pub counters: [u32; N],
    /// The loop stack, outermost frame first.
    pub frames: Vec<Frame>,
    /// The address stack, oldest entry first.
    pub calls: Vec<u32>,
    /// The loop register.
    pub al: i32,
}

impl<const N: usize> Default for FlowState<N> {
    fn default() -> FlowState<N> {
        FlowState { inactive: 0, counters: [0; N], frames: Vec::new(), calls: Vec::new(), al: 0 }
    }
}

impl<const N: usize> FlowState<N> {
    /// Slots that are neither branch-inactive nor disabled by a loop frame.
    pub fn active(&self) -> u64 {
        let all = u64::MAX >> (64 - N);
        self.frames
            .iter()
            .fold(all & !self.inactive, |active, frame| active & !frame.broken & !frame.continued)
    }
}

/// The shared registers of a SIMD, by register and lane.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Simd {
    /// The global registers.
    pub globals: Vec<[[u32; 4]; SLOTS]>,
    /// The clause temporaries of the even and of the odd groups.
    pub clauses: [Vec<[[u32; 4]; SLOTS]>; 2],
}

impl Simd {
    /// The registers of a SIMD when a launch begins.
    pub fn new(shared: &Shared, simd: usize) -> Simd {
        let globals = shared.sharing.globals();
        let registers = &shared.globals.as_chunks::<SLOTS>().0[simd * globals..][..globals];
        let zeros = vec![[[0; 4]; SLOTS]; shared.sharing.clauses()];
        Simd { globals: registers.to_vec(), clauses: [zeros.clone(), zeros] }
    }

    /// The bytes that it takes, about.
    pub fn size(&self) -> usize {
        (self.globals.len() + 2 * self.clauses[0].len()) * SLOTS * 16
    }
}

/// The state of a running group. Sets of slots are masks, bit n for slot n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupState {
    pub(super) grouping: Grouping,
    pub(super) tile: Tile,
    /// Slots that were covered at the start and have not been killed.
    pub(super) covered: u64,
    /// Slots covered at the start.
    pub(super) started: u64,
    pub(super) temps: Vec<[[u32; 4]; TEMPORARIES]>,
    /// Predicate bits, bit 0 R to bit 3 A.
    pub(super) predicates: [u8; SLOTS],
    pub(super) alu_result: u64,
    pub(super) flow: FlowState<SLOTS>,
    pub(super) pc: u32,
    /// Group instructions executed.
    pub(super) executed: u64,
    /// Held output values per slot and output.
    pub(super) outputs: Vec<[[u32; 4]; 4]>,
    /// Channels written of each held output.
    pub(super) written: [[u8; 4]; SLOTS],
    /// The point's own conditional value.
    pub(super) own_value: [Option<u32>; SLOTS],
    /// The shared registers, while the group makes a step; else empty.
    pub(super) simd: Simd,
    /// The group's number in its SIMD, modulo 2.
    pub(super) parity: usize,
    /// The temporary that is clause temporary 0; 128 if there is none.
    pub(super) first_clause: usize,
    /// AR.X.
    pub(super) ar: [i32; SLOTS],
    /// Uncached writes that are undecided until the group ends.
    pub(super) pending: Vec<Pending>,
    /// The same for fetches, if points can fetch their own.
    pub(super) own: Option<OwnWrites>,
    /// The elements of global registers that the last instruction read and wrote.
    pub(super) touched: Touched,
}

impl GroupState {
    /// A group with room for all state. [`GroupState::start`] fills it.
    pub(super) fn new(launch: &Checked<'_>) -> GroupState {
        GroupState {
            grouping: launch.grouping,
            tile: Tile { i: 0, j: 0 },
            covered: 0,
            started: 0,
            temps: vec![[[0; 4]; TEMPORARIES]; SLOTS],
            predicates: [0; SLOTS],
            alu_result: 0,
            flow: FlowState::default(),
            pc: 0,
            executed: 0,
            outputs: vec![[[0; 4]; 4]; SLOTS],
            written: [[0; 4]; SLOTS],
            own_value: [None; SLOTS],
            simd: Simd::default(),
            parity: 0,
            first_clause: TEMPORARIES,
            ar: [0; SLOTS],
            pending: Vec::new(),
            own: launch.reads_back().then(OwnWrites::default),
            touched: Touched::default(),
        }
    }

    /// Puts every slot of a tile into the start state of a point (container documentation:
    /// temporary 0 holds the point, the rest is 0 unless the launch says otherwise).
    pub(super) fn start(&mut self, launch: &Launch, tile: Tile, covered: u64) {
        self.tile = tile;
        self.covered = covered;
        self.started = covered;
        self.predicates = [0; SLOTS];
        self.alu_result = 0;
        self.flow = FlowState::default();
        self.pc = launch.program.registers().start();
        self.executed = 0;
        self.outputs.fill([[0; 4]; 4]);
        self.written.fill([0; 4]);
        self.own_value = [None; SLOTS];
        self.first_clause = launch.program.sharing().unwrap_or_default().first_clause();
        self.ar = [0; SLOTS];
        if let Some(own) = &mut self.own {
            own.clear();
        }

        let domain = &launch.domain;
        for slot in 0..SLOTS {
            let (i, j) = self.grouping.point(tile, slot);
            let temps = &mut self.temps[slot];
            temps.fill([0; 4]);
            temps[0] = [(i as f32).to_bits(), (j as f32).to_bits(), 0, 0];
            if let Some(interpolants) = &launch.interpolants {
                for (temp, interpolant) in temps[1..].iter_mut().zip(interpolants.iter()) {
                    *temp = interpolate(interpolant, i, j);
                }
            }
            let column = i.clamp(domain.i0, domain.i1) - domain.i0;
            let row = j.clamp(domain.j0, domain.j1) - domain.j0;
            let point = row as usize * domain.width() as usize + column as usize;
            for initial in &launch.initial {
                if let Some(&value) = initial.data.get(point) {
                    temps[initial.temp as usize] = value;
                }
            }
        }
    }

    /// Becomes the state `after` an instruction with these writes, being the state before it. The shared
    /// registers and the uncached writes stay as they are.
    pub(super) fn follow(&mut self, after: &mut GroupState, writes: &[Write]) {
        let large = |group: &mut GroupState| {
            let (temps, outputs) = (take(&mut group.temps), take(&mut group.outputs));
            (temps, outputs, take(&mut group.simd), take(&mut group.pending), group.own.take())
        };
        let (own, theirs) = (large(self), large(after));
        self.clone_from(after);
        (self.temps, self.outputs, self.simd, self.pending, self.own) = own;
        (after.temps, after.outputs, after.simd, after.pending, after.own) = theirs;
        for write in writes {
            for slot in 0..SLOTS {
                match after.write(slot, write) {
                    Some(Place::Temp(n, c)) => self.temps[slot][n][c] = after.temps[slot][n][c],
                    Some(Place::Output(n, c)) => {
                        self.outputs[slot][n][c] = after.outputs[slot][n][c]
                    }
                    _ => {}
                }
            }
        }
    }

    /// Slots that are neither branch-inactive nor disabled by a loop frame.
    pub fn active(&self) -> u64 {
        self.flow.active()
    }
    /// Slots that are covered: inside the domain, not skipped by the PE, not killed.
    pub fn covered(&self) -> u64 {
        self.covered
    }
    /// The slot of the next instruction.
    pub fn pc(&self) -> u32 {
        self.pc
    }
    /// Group instructions executed so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }
    /// The loop register.
    pub fn al(&self) -> i32 {
        self.flow.al
    }
    /// The loop stack, outermost frame first.
    pub fn frames(&self) -> &[Frame] {
        &self.flow.frames
    }
    /// The address stack, oldest entry first.
    pub fn calls(&self) -> &[u32] {
        &self.flow.calls
    }
    /// The branch counter of a slot; `None` while it is not branch-inactive.
    pub fn counter(&self, slot: usize) -> Option<u32> {
        (self.flow.inactive >> slot & 1 != 0).then(|| self.flow.counters[slot])
    }
    /// The predicate bits of a slot, bit 0 R to bit 3 A.
    pub fn predicates(&self, slot: usize) -> u8 {
        self.predicates[slot]
    }
    /// The ALU result of a slot.
    pub fn alu_result(&self, slot: usize) -> bool {
        self.alu_result >> slot & 1 != 0
    }
    /// The bits of a temporary of a slot.
    pub fn temp(&self, slot: usize, n: usize) -> [u32; 4] {
        let n = n % TEMPORARIES;
        match n.checked_sub(self.first_clause) {
            None => self.temps[slot][n],
            Some(clause) => {
                let clause = self.simd.clauses[self.parity].get(clause);
                clause.map_or([0; 4], |lanes| lanes[slot])
            }
        }
    }
    /// The shared registers of its SIMD.
    pub fn simd(&self) -> &Simd {
        &self.simd
    }
    /// The group's number in its SIMD, modulo 2, in a launch with data sharing; else 0.
    pub fn parity(&self) -> usize {
        self.parity
    }
    /// AR.X of a slot.
    pub fn ar_x(&self, slot: usize) -> i32 {
        self.ar[slot]
    }
    /// The number of the global register that an address names for a slot. It need not exist.
    pub fn global_index(&self, slot: usize, n: u8, ar_x: bool) -> i64 {
        i64::from(n) + if ar_x { i64::from(self.ar[slot]) } else { 0 }
    }
    /// The bits of a global register of a slot; 0 if it does not exist.
    pub fn global(&self, slot: usize, index: i64) -> [u32; 4] {
        let lanes = usize::try_from(index).ok().and_then(|n| self.simd.globals.get(n));
        lanes.map_or([0; 4], |lanes| lanes[slot])
    }
    /// The bits of a register of a slot.
    pub fn register(&self, slot: usize, register: Register) -> [u32; 4] {
        match register {
            Register::Temp(n, relative) => self.temp(slot, self.temp_index(n, relative)),
            Register::Global(n, ar_x) => self.global(slot, self.global_index(slot, n, ar_x)),
        }
    }

    /// A channel of a register of a slot.
    pub fn place(&self, slot: usize, register: Register, channel: usize) -> Place {
        match register {
            Register::Temp(n, relative) => Place::Temp(self.temp_index(n, relative), channel),
            Register::Global(n, ar_x) => Place::Global(self.global_index(slot, n, ar_x), channel),
        }
    }
    /// The place of a slot's operand, and the slot whose register it is; `None` for an inline
    /// constant.
    pub fn read(&self, slot: usize, read: &Read) -> Option<(usize, Place)> {
        let slot = match read.whose {
            Whose::Own => slot,
            Whose::Quad(n) => self.quad(slot)[n],
        };
        let place = match (read.register, read.source.kind()) {
            (Some(register), _) => self.place(slot, register, read.channel),
            (None, SourceKind::Constant(n)) => {
                Place::Constant(self.constant_index(n, read.source.relative), read.channel)
            }
            (None, SourceKind::Temp(_) | SourceKind::Inline(_)) => return None,
        };
        Some((slot, place))
    }
    /// The bits of a place of a slot, 1 or 0 of a predicate and the ALU result; `None` of a conditional
    /// value that is not written and of a texel.
    pub fn bits(&self, slot: usize, place: Place, constants: &Constants) -> Option<u32> {
        match place {
            Place::Temp(n, channel) => Some(self.temp(slot, n)[channel]),
            Place::Global(n, channel) => Some(self.global(slot, n)[channel]),
            Place::Output(n, channel) => Some(self.output(slot, n)[channel]),
            Place::Constant(n, channel) => Some(constants.float[n][channel]),
            Place::Predicate(channel) => Some(u32::from(self.predicates(slot) >> channel & 1)),
            Place::AluResult => Some(self.alu_result(slot).into()),
            Place::Own => self.own_value(slot),
            Place::Texel(_) => None,
        }
    }
    /// Whether there is a global register of this number.
    pub(super) fn has_global(&self, n: i64) -> bool {
        (0..self.simd.globals.len() as i64).contains(&n)
    }
    /// Whether a slot's writes to a place have an effect. Only active covered points write shared
    /// registers, and only those that exist.
    pub fn can_write(&self, slot: usize, place: Place) -> bool {
        let shares = (self.active() & self.covered) >> slot & 1 != 0;
        match place {
            Place::Temp(n, _) => shares || n < self.first_clause,
            Place::Global(n, _) => shares && self.has_global(n),
            _ => true,
        }
    }
    /// The place of a slot's write; `None` for an uncached write.
    pub fn write(&self, slot: usize, write: &Write) -> Option<Place> {
        let channel = write.channel;
        match write.to {
            To::Register(register) => Some(self.place(slot, register, channel)),
            To::Output(n) => Some(Place::Output(n, channel)),
            To::Predicate => Some(Place::Predicate(channel)),
            To::AluResult => Some(Place::AluResult),
            To::Own => Some(Place::Own),
            To::Uncached => None,
        }
    }

    /// The register that a slot writes; `None` if the write has no effect. Only active covered
    /// points write shared registers.
    pub(super) fn register_mut(&mut self, slot: usize, to: Register) -> Option<&mut [u32; 4]> {
        let shares = (self.active() & self.covered) >> slot & 1 != 0;
        let lanes = match to {
            Register::Temp(n, relative) => {
                let n = self.temp_index(n, relative);
                match n.checked_sub(self.first_clause) {
                    None => return Some(&mut self.temps[slot][n]),
                    Some(clause) => self.simd.clauses[self.parity].get_mut(clause),
                }
            }
            Register::Global(n, ar_x) => {
                let index = usize::try_from(self.global_index(slot, n, ar_x)).ok()?;
                self.simd.globals.get_mut(index)
            }
        };
        lanes.filter(|_| shares).map(|lanes| &mut lanes[slot])
    }
    /// The channels of a held output that a slot has written, bit 0 R to bit 3 A.
    pub fn written(&self, slot: usize, output: usize) -> u8 {
        self.written[slot][output]
    }
    /// The value of a held output of a slot.
    pub fn output(&self, slot: usize, output: usize) -> [u32; 4] {
        self.outputs[slot][output]
    }
    /// Slots that were covered when the group started.
    pub fn started(&self) -> u64 {
        self.started
    }
    /// Columns of the group's tile: slot n is column n % width, row n / width.
    pub fn width(&self) -> usize {
        self.grouping.width as usize
    }
    /// The slot of a point of the group's tile.
    pub fn slot_of(&self, point: (u32, u32)) -> Option<usize> {
        (0..SLOTS).find(|&slot| self.started >> slot & 1 != 0 && self.point(slot) == point)
    }
    /// The conditional value that a slot has written.
    pub fn own_value(&self, slot: usize) -> Option<u32> {
        self.own_value[slot]
    }
    /// The slots of the quad of a slot: top-left, top-right, bottom-left.
    pub fn quad(&self, slot: usize) -> [usize; 3] {
        self.grouping.quad(slot)
    }
    /// The point (i, j) of a slot.
    pub fn point(&self, slot: usize) -> (u32, u32) {
        self.grouping.point(self.tile, slot)
    }

    /// The slot of a point that is covered in this group.
    pub fn covered_slot(&self, point: (u32, u32)) -> Option<usize> {
        (0..SLOTS).find(|&slot| self.covered >> slot & 1 != 0 && self.point(slot) == point)
    }

    /// The temporary that an address names: relative addressing wraps at 128.
    pub fn temp_index(&self, addr: u8, relative: bool) -> usize {
        let offset = if relative { self.flow.al } else { 0 };
        (addr as i32).wrapping_add(offset) as usize & (TEMPORARIES - 1)
    }

    /// The float constant that an address names: relative addressing wraps at 256.
    fn constant_index(&self, addr: u8, relative: bool) -> usize {
        let offset = if relative { self.flow.al } else { 0 };
        (addr as i32).wrapping_add(offset) as usize & (FLOAT_CONSTANTS - 1)
    }

    /// The four channels of a source for a slot.
    pub(super) fn source(
        &self,
        slot: usize,
        instruction: &Instruction,
        source: Source,
        constants: &Constants,
    ) -> [u32; 4] {
        match source.kind() {
            SourceKind::Temp(n) => self.register(slot, instruction.register(n, source.relative)),
            SourceKind::Constant(n) => constants.float[self.constant_index(n, source.relative)],
            SourceKind::Inline(code) => [float::inline_constant(code as u32); 4],
        }
    }
}

/// The value of an interpolant at the centre of a point, in exact arithmetic in every mode.
pub fn interpolate(interpolant: &Interpolant, i: u32, j: u32) -> [u32; 4] {
    let x = (i as f32 + 0.5).to_bits();
    let y = (j as f32 + 0.5).to_bits();
    interpolant.map(|[a, b, c]| {
        let ax = float::add(a, float::mul(b, x, false));
        float::add(ax, float::mul(c, y, false))
    })
}
