//! The events of a run that a checker, tracer or debugger can observe.

use super::alu::LaneResult;
use super::group::GroupState;
use crate::isa::Instruction;
use crate::memory::{Element, Wrap};

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
///
/// With the observer of an ordinary run ([`Silent`]), the calls are not even compiled in.
pub trait Observer {
    /// Whether this observer receives events at all.
    const ENABLED: bool = true;

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

/// Observes nothing.
pub struct Silent;

impl Observer for Silent {
    const ENABLED: bool = false;
}
