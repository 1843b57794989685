//! The events of a run that a checker, tracer or debugger can observe.

use super::alu::LaneResult;
use super::group::GroupState;
use crate::isa::{Instruction, Usage};
use crate::memory::Element;

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
        _usage: &Usage,
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
    /// A slot fetched texel (x, y) of an input and got these channels (float bits).
    fn load(
        &mut self,
        _group: &GroupState,
        _slot: usize,
        _input: usize,
        _texel: (i32, i32),
        _channels: [u32; 4],
    ) {
    }
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
