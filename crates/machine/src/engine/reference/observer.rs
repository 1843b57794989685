//! The events of a run that a checker, tracer or debugger can observe.

use super::group::GroupState;
use super::step::Step;
use crate::memory::Element;

/// The destination of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Destination {
    /// Output n, at the end of a point.
    Output(usize),
    /// Output 0, by an uncached write.
    Uncached,
    /// The conditional buffer.
    Condition,
}

/// A write of a point that was accepted. It takes effect at the end of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// Column and row.
    pub point: (u32, u32),
    /// The instruction of an uncached write, else the last instruction of the point.
    pub pc: u32,
    /// The destination.
    pub destination: Destination,
    /// Byte address.
    pub address: u32,
    /// The bytes.
    pub element: Element,
}

impl Store {
    /// Its place in the order in which writes take effect. Uncached writes of one point have the same
    /// and come in order.
    fn order(&self) -> (u8, u32, u32, usize) {
        let (i, j) = self.point;
        match self.destination {
            Destination::Uncached => (0, j, i, 0),
            Destination::Output(n) => (1, j, i, n),
            Destination::Condition => (2, j, i, 0),
        }
    }
}

/// Some of 16 bytes in memory: bit n of the mask is byte n from the address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The address.
    pub address: u32,
    /// The mask.
    pub mask: u16,
}

impl Bytes {
    /// Whether any of them is among others.
    pub fn meets(self, address: u32, mask: u16) -> bool {
        let distance = i64::from(address) - i64::from(self.address);
        let shifted = match u32::try_from(distance.abs()) {
            Ok(by) if by < 16 && distance >= 0 => u32::from(mask) << by,
            Ok(by) if by < 16 => u32::from(mask) >> by,
            _ => 0,
        };
        shifted & u32::from(self.mask) != 0
    }
}

/// Finds the write of a launch that decides the final contents of some bytes.
pub(super) struct LastStore {
    pub bytes: Bytes,
    pub found: Option<Store>,
}

impl Observer for LastStore {
    fn stored(&mut self, store: &Store) {
        // A point's own writes come in the order in which they take effect.
        if self.bytes.meets(store.address, store.element.byte_mask)
            && self.found.is_none_or(|found| store.order() >= found.order())
        {
            self.found = Some(*store);
        }
    }
}

/// Receives the events of a run, in order. Every method does nothing unless overridden.
pub trait Observer {
    /// A group is about to execute its first instruction.
    fn begin(&mut self, _group: &GroupState) {}
    /// An instruction has run.
    fn step(&mut self, _step: &Step<'_>) {}
    /// A group has ended; `true`: by a fault of the whole group.
    fn end(&mut self, _group: &GroupState, _faulted: bool) {}
    /// At the end of a group, the conditional operation dropped all outputs and uncached writes of a
    /// point.
    fn dropped(&mut self, _group: &GroupState, _slot: usize) {}
    /// A write was accepted: before the end of its group, and before any group if the conditional
    /// operation is at location PE.
    fn stored(&mut self, _store: &Store) {}
    /// In a step of a pair of groups, one group wrote an element of a global register that the
    /// instruction at `pc` of the other one read: a conflict, at most one a step. If each of them read
    /// what the other one wrote, `pc` is that of the even group.
    fn conflict(&mut self, _pc: u32) {}
}
