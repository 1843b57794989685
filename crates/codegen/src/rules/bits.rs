//! Conditions of rules that change no bit, of a NaN and of a denormal neither.

use crate::graph::{Graph, Id, Op, Rules};
use ctm_isa::float;

impl Graph {
    /// No bit may change.
    pub fn keeps_bits(&self) -> bool {
        self.rules == Rules::Bits
    }

    /// Whether a value is the result of arithmetic: no denormal, and its only NaN is the machine's.
    fn finished(&self, a: Id) -> bool {
        let node = self.node(a);
        match node.op {
            Op::Literal(bits) => float::finish(bits, 0) == bits,
            Op::Add | Op::Mul | Op::Frc | Op::Ex2 | Op::Ln2 | Op::Rcp | Op::Rsq => true,
            Op::Sin | Op::Cos | Op::Clamp | Op::Dx | Op::Dy | Op::Dot(_) => true,
            // They only move their operands, as rules of this kind have it.
            Op::Min | Op::Max | Op::Cmp => false,
            Op::Uniform(_) | Op::Input(_) | Op::Phi(_) | Op::Array(_) => false,
            Op::Neg | Op::Abs | Op::Fetch(_) | Op::Texel(_) => false,
        }
    }

    /// Whether a value is the same after arithmetic that leaves numbers as they are.
    pub(super) fn stays(&self, a: Id) -> bool {
        !self.keeps_bits() || self.finished(a)
    }

    /// A choice between operands.
    pub(super) fn choice(&self, bits: u32) -> u32 {
        if self.keeps_bits() { bits } else { float::finish(bits, 0) }
    }

    /// ZERO_TIMES_ANYTHING_EQUALS_ZERO.
    pub fn zero_times(&self) -> bool {
        !self.keeps_bits()
    }
}
