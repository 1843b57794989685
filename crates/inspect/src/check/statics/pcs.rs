//! Sets of instructions, and what the texture semaphore says of them.

use super::dataflow::State;
use ctm_isa::isa::MAX_INSTRUCTIONS;

/// A set of the instructions of a program, by pc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Pcs([u64; MAX_INSTRUCTIONS / 64]);

impl Pcs {
    /// The set of one instruction.
    pub(super) fn of(pc: u32) -> Pcs {
        let mut set = Pcs::default();
        set.insert(pc);
        set
    }
    /// Adds an instruction.
    pub(super) fn insert(&mut self, pc: u32) {
        if let Some(word) = self.0.get_mut(pc as usize / 64) {
            *word |= 1 << (pc % 64);
        }
    }
    /// The intersection.
    pub(super) fn common(&self, other: &Pcs) -> Pcs {
        Pcs(std::array::from_fn(|n| self.0[n] & other.0[n]))
    }
    /// The difference: the ones that the other set does not have.
    pub(super) fn without(&self, other: &Pcs) -> Pcs {
        Pcs(std::array::from_fn(|n| self.0[n] & !other.0[n]))
    }
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        *self == Pcs::default()
    }
    /// The instructions in order.
    pub(super) fn iter(self) -> impl Iterator<Item = u32> {
        (0..MAX_INSTRUCTIONS as u32)
            .filter(move |pc| self.0[*pc as usize / 64] >> (pc % 64) & 1 != 0)
    }
}

impl State for Pcs {
    fn join(&mut self, other: &Pcs) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }
}

/// Instructions whose effect the texture semaphore orders, and for which nothing has waited yet. All
/// that an instruction fetches or writes is treated alike, so the instruction stands for it.
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct Pending {
    /// All of them.
    pub(super) all: Pcs,
    /// The pending ones for which on some path no acquire holds the semaphore: a wait does not help
    /// them.
    pub(super) loose: Pcs,
}

impl Pending {
    /// Adds an instruction that begins.
    pub(super) fn begin(&mut self, pc: u32) {
        self.all.insert(pc);
        self.loose.insert(pc);
    }
    /// The semaphore is acquired: it is held for all that have begun.
    pub(super) fn acquire(&mut self) {
        self.loose = Pcs::default();
    }
    /// An instruction waits for the semaphore.
    pub(super) fn wait(&mut self) {
        self.all = self.loose;
    }
    /// Forgets instructions.
    pub(super) fn forget(&mut self, pcs: &Pcs) {
        self.all = self.all.without(pcs);
        self.loose = self.loose.without(pcs);
    }
}

impl State for Pending {
    fn join(&mut self, other: &Pending) {
        self.all.join(&other.all);
        self.loose.join(&other.loose);
    }
}
