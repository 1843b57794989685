//! Values that are the same for all points of a launch.

use crate::launch::FloatMode;
use ctm_isa::float::{self, chip};
use ctm_isa::isa::{FLOAT_CONSTANTS, LETTERS, Presub};
use ctm_isa::ops::{Aux, Calc};

/// A literal or one channel of a float constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UniformScalar {
    /// Float bits.
    Literal(u32),
    /// Channel 0 to 3 of a float constant.
    Constant(u8, u8),
}

/// A uniform's value before its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UniformValue {
    /// A scalar.
    Scalar(UniformScalar),
    /// The presubtract of two scalars (src0, src1), in the program's arithmetic.
    Presub(Presub, UniformScalar, UniformScalar),
    /// An entry of [`super::Lowered::computed`].
    Computed(u16),
}

/// An operation of the program on uniforms alone: a launch computes it once for all points, in mode
/// `chip` in that mode's arithmetic, otherwise exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The operation.
    pub calc: Calc,
    /// Its `RowOp::aux`.
    pub aux: u16,
    /// Its operands. They refer to earlier entries only.
    pub operands: Vec<Uniform>,
}

impl Computed {
    /// The bits, with the float constants of a launch and the values of the earlier entries.
    fn resolve(&self, constants: &[[u32; 4]], computed: &[u32], mode: FloatMode) -> u32 {
        let mut operands = [0; 4];
        for (value, uniform) in operands.iter_mut().zip(&self.operands) {
            *value = uniform.resolve(constants, computed, mode);
        }
        let facts = self.calc.facts();
        (if mode == FloatMode::Chip { facts.chip } else { facts.exact })(operands, self.aux)
    }
}

/// The values of uniforms, with the float constants of a launch.
pub(super) fn resolve(
    uniforms: &[Uniform],
    computed: &[Computed],
    constants: &[[u32; 4]],
    mode: FloatMode,
) -> Vec<u32> {
    let mut values = Vec::with_capacity(computed.len());
    for one in computed {
        values.push(one.resolve(constants, &values, mode));
    }
    uniforms.iter().map(|uniform| uniform.resolve(constants, &values, mode)).collect()
}

/// A uniform with its modifiers, applied in this order: absolute value, negation, flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Uniform {
    /// The value.
    pub value: UniformValue,
    /// Absolute value.
    pub abs: bool,
    /// Negation.
    pub neg: bool,
    /// Denormals become zeros.
    pub flush: bool,
}

impl UniformScalar {
    fn resolve(self, constants: &[[u32; 4]]) -> u32 {
        match self {
            UniformScalar::Literal(bits) => bits,
            UniformScalar::Constant(n, channel) => constants[n as usize][channel as usize & 3],
        }
    }
}

impl Uniform {
    /// A value without modifiers.
    pub fn of(value: UniformValue) -> Uniform {
        Uniform { value, abs: false, neg: false, flush: false }
    }

    /// A literal without modifiers.
    pub fn literal(bits: u32) -> Uniform {
        Uniform::of(UniformValue::Scalar(UniformScalar::Literal(bits)))
    }

    /// The bits, with the float constants of a launch and the values of
    /// [`super::Lowered::computed`].
    fn resolve(&self, constants: &[[u32; 4]], computed: &[u32], mode: FloatMode) -> u32 {
        let value = match self.value {
            UniformValue::Scalar(scalar) => scalar.resolve(constants),
            UniformValue::Computed(n) => computed[n as usize],
            UniformValue::Presub(op, src0, src1) => {
                let (src0, src1) = (src0.resolve(constants), src1.resolve(constants));
                match (op, mode == FloatMode::Chip) {
                    (Presub::Bias, false) => float::presub_bias(src0),
                    (Presub::Sub, false) => float::presub_sub(src0, src1),
                    (Presub::Add, false) => float::presub_add(src0, src1),
                    (Presub::Inv, false) => float::presub_inv(src0),
                    (Presub::Bias, true) => chip::presub_bias(src0),
                    (Presub::Sub, true) => chip::presub_sub(src0, src1),
                    (Presub::Add, true) => chip::presub_add(src0, src1),
                    (Presub::Inv, true) => chip::presub_inv(src0),
                }
            }
        };
        let value = float::modify(value, (self.neg as u32) | (self.abs as u32) << 1);
        if self.flush { float::ftz(value) } else { value }
    }

    /// Whether all constants it depends on, each a number and a channel, are `known`.
    pub(super) fn depends_only_on(
        &self,
        computed: &[Computed],
        known: &dyn Fn((u8, u8)) -> bool,
    ) -> bool {
        let is_known = |scalar| match scalar {
            UniformScalar::Literal(_) => true,
            UniformScalar::Constant(n, channel) => known((n, channel)),
        };
        match self.value {
            UniformValue::Scalar(scalar) => is_known(scalar),
            UniformValue::Presub(_, src0, src1) => is_known(src0) && is_known(src1),
            UniformValue::Computed(n) => {
                let operands = &computed[n as usize].operands;
                operands.iter().all(|operand| operand.depends_only_on(computed, known))
            }
        }
    }

    /// The bits, if they depend on literals alone.
    pub fn known(&self, mode: FloatMode) -> Option<u32> {
        let is_literal = |scalar| matches!(scalar, UniformScalar::Literal(_));
        let is_known = match self.value {
            UniformValue::Scalar(scalar) => is_literal(scalar),
            UniformValue::Presub(_, src0, src1) => is_literal(src0) && is_literal(src1),
            // Operations on literals become literals.
            UniformValue::Computed(_) => false,
        };
        is_known.then(|| self.resolve(&[], &[], mode))
    }
}

/// The uniforms of a program while it is lowered, each once.
pub(super) struct Uniforms {
    /// In the order of their numbers.
    pub list: Vec<Uniform>,
    /// By [place](Uniforms::place), the number of the last uniform there, from 1 on; 0: there is none.
    last: Vec<u16>,
    /// By number, the last one before it at its place, likewise.
    before: Vec<u16>,
}

impl Uniforms {
    /// The number of places of constants.
    const CONSTANTS: usize = 4 * FLOAT_CONSTANTS;

    pub fn new() -> Uniforms {
        let last = vec![0; Uniforms::CONSTANTS + 256];
        Uniforms { list: Vec::new(), last, before: Vec::new() }
    }

    /// Where a uniform is looked for: few have the same place.
    fn place(uniform: &Uniform) -> usize {
        let other = |n: u32| {
            // The upper bits depend on all bits of a float.
            Uniforms::CONSTANTS + (n.wrapping_mul(0x9e37_79b1) >> 24) as usize
        };
        match uniform.value {
            UniformValue::Scalar(scalar) | UniformValue::Presub(_, scalar, _) => match scalar {
                UniformScalar::Constant(n, channel) => 4 * n as usize + channel as usize % 4,
                UniformScalar::Literal(bits) => other(bits),
            },
            UniformValue::Computed(n) => other(n.into()),
        }
    }

    /// The number of a uniform, which is added if it is new.
    pub fn number(&mut self, uniform: Uniform) -> u32 {
        let last = &mut self.last[Uniforms::place(&uniform)];
        let mut at = *last;
        while at != 0 {
            let number = usize::from(at - 1);
            if self.list[number] == uniform {
                return number as u32;
            }
            at = self.before[number];
        }
        self.before.push(*last);
        self.list.push(uniform);
        *last = self.list.len() as u16;
        self.list.len() as u32 - 1
    }
}

impl std::fmt::Display for UniformScalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            UniformScalar::Literal(bits) => {
                write!(f, "{:?} (0x{bits:08x})", f32::from_bits(bits))
            }
            UniformScalar::Constant(n, channel) => {
                write!(f, "c{n}.{}", LETTERS[channel as usize & 3])
            }
        }
    }
}

impl std::fmt::Display for Computed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.calc.facts().facts.name)?;
        for (n, operand) in self.operands.iter().enumerate() {
            write!(f, "{} {operand}", if n == 0 { "" } else { "," })?;
        }
        match self.calc.facts().facts.aux {
            Aux::Modifier => write!(f, " {}", self.aux),
            Aux::Own | Aux::ZeroTimes => Ok(()),
        }
    }
}

impl std::fmt::Display for Uniform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = match self.value {
            UniformValue::Scalar(scalar) => scalar.to_string(),
            UniformValue::Presub(op, src0, src1) => match op {
                Presub::Bias => format!("(1 - 2*{src0})"),
                Presub::Sub => format!("({src1} - {src0})"),
                Presub::Add => format!("({src1} + {src0})"),
                Presub::Inv => format!("(1 - {src0})"),
            },
            UniformValue::Computed(n) => format!("v{n}"),
        };
        if self.abs {
            text = format!("|{text}|");
        }
        if self.neg {
            text = format!("-{text}");
        }
        if self.flush {
            text = format!("ftz({text})");
        }
        f.write_str(&text)
    }
}
