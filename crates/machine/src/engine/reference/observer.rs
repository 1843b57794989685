//! The events of a run that a checker, tracer or debugger can observe.

use super::alu::LaneResult;
use super::group::GroupState;
use crate::memory::{Element, Wrap};
use ctm_isa::isa::Instruction;

/// The destination of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Output n, at the end of a point.
    Output(usize),
    /// Output 0, by an uncached write.
    Uncached,
    /// The conditional buffer.
    Condition,
}

/// What one slot fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The number of the input.
    pub input: usize,
    /// The texel that the coordinates name: column and row.
    pub meant: (i32, i32),
    /// The texel that was read, after clamp or wrap. A 2x2 tiling reads its neighbours, too.
    pub read: (u32, u32),
    /// What the input does with coordinates outside.
    pub wrap: Wrap,
    /// What was read, as float bits, before the destination's swizzle.
    pub channels: [u32; 4],
}

impl Fetched {
    /// Whether the coordinates name a texel outside the input, and the input clamps them.
    pub fn is_clamped(&self) -> bool {
        let same = |meant: i32, read: u32| i64::from(meant) == i64::from(read);
        let inside = same(self.meant.0, self.read.0) && same(self.meant.1, self.read.1);
        self.wrap == Wrap::Clamp && !inside
    }
}

/// Receives the events of a run, in order. Every method does nothing unless overridden.
pub trait Observer {
    /// A group is about to execute its first instruction.
    fn group_begin(&mut self, _group: &GroupState) {}
    /// A group has ended; `true`: by a fault of the whole group.
    fn group_end(&mut self, _group: &GroupState, _faulted: bool) {}
    /// A covered point starts.
    fn point_begin(&mut self, _group: &GroupState, _slot: usize) {}
    /// A point that is still covered has ended.
    fn point_end(&mut self, _group: &GroupState, _slot: usize) {}
    /// The instruction at `group.pc()` is about to run.
    fn before(&mut self, _group: &GroupState, _instruction: &Instruction) {}
    /// The ALU or OUT instruction at `group.pc()` has computed `results`: one for each slot, `None`
    /// for slots that do not take part. Nothing is written yet.
    fn computed(
        &mut self,
        _group: &GroupState,
        _instruction: &Instruction,
        _results: &[Option<LaneResult>],
    ) {
    }
    /// The instruction at `pc` is done. For ALU and OUT, `results` holds what each slot computed,
    /// or `None` for slots that did not take part. For TEX and FC it is empty.
    fn after(
        &mut self,
        _group: &GroupState,
        _pc: u32,
        _instruction: &Instruction,
        _results: &[Option<LaneResult>],
    ) {
    }
    /// The flow-control instruction at `pc` diverged: some active covered points wish to jump and
    /// others do not.
    fn diverged(&mut self, _group: &GroupState, _pc: u32) {}
    /// A slot fetched an element of an input.
    fn load(&mut self, _group: &GroupState, _slot: usize, _fetch: &Fetched) {}
    /// The running instruction made an uncached write of a covered point. It takes effect unless the
    /// conditional operation drops it or the group faults.
    fn sent(&mut self, _group: &GroupState, _slot: usize, _address: u32) {}
    /// The conditional operation dropped all outputs and uncached writes of a point.
    fn dropped(&mut self, _group: &GroupState, _slot: usize) {}
    /// In a step of a pair of groups, one group wrote an element of a global register that the
    /// instruction at `pc` of the other one read: a conflict, at most one a step. If each of them read
    /// what the other one wrote, `pc` is that of the even group.
    fn conflict(&mut self, _pc: u32) {}
    /// A point's write was accepted. `pc` is the instruction of an uncached write, else the last
    /// instruction of the point. It takes effect at the end of the launch.
    fn store(
        &mut self,
        _point: (u32, u32),
        _pc: u32,
        _destination: Destination,
        _address: u32,
        _element: &Element,
    ) {
    }
}

/// An observer for the even groups and one for the odd groups of a launch with data sharing: the groups
/// of a pair run in turn, and each observer sees its groups one after the other. Conflicts go to the
/// first one.
pub struct ByParity<O> {
    /// The observers.
    pub observers: [O; 2],
    /// The group of the last event.
    parity: usize,
}

impl<O> ByParity<O> {
    /// Combines two observers.
    pub fn new(observers: [O; 2]) -> ByParity<O> {
        ByParity { observers, parity: 0 }
    }

    fn of(&mut self, group: &GroupState) -> &mut O {
        self.parity = group.parity();
        &mut self.observers[self.parity]
    }
}

impl<O: Observer> Observer for ByParity<O> {
    fn group_begin(&mut self, group: &GroupState) {
        self.of(group).group_begin(group);
    }
    fn group_end(&mut self, group: &GroupState, faulted: bool) {
        self.of(group).group_end(group, faulted);
    }
    fn point_begin(&mut self, group: &GroupState, slot: usize) {
        self.of(group).point_begin(group, slot);
    }
    fn point_end(&mut self, group: &GroupState, slot: usize) {
        self.of(group).point_end(group, slot);
    }
    fn before(&mut self, group: &GroupState, instruction: &Instruction) {
        self.of(group).before(group, instruction);
    }
    fn computed(
        &mut self,
        group: &GroupState,
        instruction: &Instruction,
        results: &[Option<LaneResult>],
    ) {
        self.of(group).computed(group, instruction, results);
    }
    fn after(
        &mut self,
        group: &GroupState,
        pc: u32,
        instruction: &Instruction,
        results: &[Option<LaneResult>],
    ) {
        self.of(group).after(group, pc, instruction, results);
    }
    fn diverged(&mut self, group: &GroupState, pc: u32) {
        self.of(group).diverged(group, pc);
    }
    fn load(&mut self, group: &GroupState, slot: usize, fetch: &Fetched) {
        self.of(group).load(group, slot, fetch);
    }
    fn sent(&mut self, group: &GroupState, slot: usize, address: u32) {
        self.of(group).sent(group, slot, address);
    }
    fn dropped(&mut self, group: &GroupState, slot: usize) {
        self.of(group).dropped(group, slot);
    }
    fn conflict(&mut self, pc: u32) {
        self.observers[0].conflict(pc);
    }
    fn store(
        &mut self,
        point: (u32, u32),
        pc: u32,
        destination: Destination,
        address: u32,
        element: &Element,
    ) {
        // A group's writes follow its other events.
        self.observers[self.parity].store(point, pc, destination, address, element);
    }
}
