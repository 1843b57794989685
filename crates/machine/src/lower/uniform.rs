//! Values that are the same for all points of a launch.

use super::Operand;
use super::operands::Value;
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

/// The uniforms of a program while it is lowered, each once. A constant without a sign modifier has the number
/// 8 n + 2 channel, and one more if it is flushed; the others follow.
pub(super) struct Uniforms {
    /// See [`super::Lowered::mode`].
    mode: FloatMode,
    others: Vec<Other>,
    /// By [place](Uniforms::place), the number of the last other one there; 0: there is none.
    last: [u16; PLACES],
}

/// Few uniforms of a program have the same place.
const PLACES: usize = 256;

/// A uniform that is no constant or has a sign modifier.
struct Other {
    uniform: Uniform,
    /// Its bits, if they depend on literals alone.
    known: Option<u32>,
    /// The number of the one before it at its place; 0: there is none.
    before: u16,
}

impl Uniforms {
    /// The number of the first other one.
    const OTHERS: usize = 8 * FLOAT_CONSTANTS;

    pub fn new(mode: FloatMode) -> Uniforms {
        Uniforms { mode, others: Vec::new(), last: [0; PLACES] }
    }

    /// Where a uniform is looked for.
    fn place(value: UniformValue) -> usize {
        let bits = match value {
            UniformValue::Scalar(scalar) | UniformValue::Presub(_, scalar, _) => match scalar {
                UniformScalar::Constant(n, channel) => 4 * u32::from(n) + u32::from(channel),
                UniformScalar::Literal(bits) => bits,
            },
            UniformValue::Computed(n) => n.into(),
        };
        // The upper bits depend on all bits.
        (bits.wrapping_mul(0x9e37_79b1) >> 24) as usize
    }

    /// A channel of a constant.
    pub fn constant(n: u8, channel: usize) -> Operand {
        Operand::uniform(8 * u32::from(n) + 2 * channel as u32)
    }

    /// A uniform as an operand.
    pub fn operand(&mut self, uniform: Uniform) -> Operand {
        if let UniformValue::Scalar(UniformScalar::Constant(n, channel)) = uniform.value
            && !uniform.abs
            && !uniform.neg
        {
            return Operand(Uniforms::constant(n, channel.into()).0 | u32::from(uniform.flush));
        }
        // Known values share one entry, however they were computed.
        let known = uniform.known(self.mode);
        let uniform = known.map_or(uniform, Uniform::literal);
        let place = Uniforms::place(uniform.value);
        let mut at = self.last[place];
        while let Some(n) = usize::from(at).checked_sub(Uniforms::OTHERS) {
            if self.others[n].uniform == uniform {
                return Operand::uniform(at.into());
            }
            at = self.others[n].before;
        }
        let number = (Uniforms::OTHERS + self.others.len()) as u16;
        let before = std::mem::replace(&mut self.last[place], number);
        self.others.push(Other { uniform, known, before });
        Operand::uniform(number.into())
    }

    /// A uniform as a value.
    pub fn value(&mut self, uniform: Uniform) -> Value {
        let operand = self.operand(uniform);
        let clean = self.known(operand).is_some_and(|bits| {
            let bits = bits & !float::SIGN;
            float::ftz(bits) == bits && !float::is_nan(bits)
        });
        Value { operand, clean }
    }

    fn other(&self, operand: Operand) -> Option<&Other> {
        self.others.get((operand.index() as usize).checked_sub(Uniforms::OTHERS)?)
    }

    /// The uniform that an operand is.
    pub fn at(&self, operand: Operand) -> Uniform {
        if let Some(other) = self.other(operand) {
            return other.uniform;
        }
        let n = operand.index();
        let constant = UniformScalar::Constant((n / 8) as u8, (n / 2 % 4) as u8);
        Uniform { flush: n & 1 != 0, ..Uniform::of(UniformValue::Scalar(constant)) }
    }

    /// The bits of the uniform that an operand is, if they depend on literals alone.
    pub fn known(&self, operand: Operand) -> Option<u32> {
        self.other(operand)?.known
    }

    /// The uniform that an operand is, flushed.
    pub fn flushed(&mut self, operand: Operand) -> Operand {
        match self.other(operand).map(|other| other.uniform) {
            Some(uniform) => self.operand(Uniform { flush: true, ..uniform }),
            None => Operand(operand.0 | 1),
        }
    }

    /// For the end: numbers uniforms in the order of their first use.
    pub fn finish(self) -> Numbered {
        let others = vec![0; self.others.len()];
        Numbered { uniforms: self, constants: Vec::new(), others, list: Vec::with_capacity(64) }
    }
}

/// The uniforms that operations read.
pub(super) struct Numbered {
    uniforms: Uniforms,
    /// By number while the program was lowered, the final one, from 1 on; 0: there is none yet. Those of constants, as
    /// far as they are read, and the other ones.
    constants: Vec<u16>,
    others: Vec<u16>,
    /// In the order of their final numbers.
    pub list: Vec<Uniform>,
}

impl Numbered {
    /// The final form of an operand that is a uniform.
    #[inline]
    pub fn of(&mut self, operand: Operand) -> Operand {
        let n = operand.index() as usize;
        let number = match n.checked_sub(Uniforms::OTHERS) {
            Some(n) => self.others[n],
            None => self.constants.get(n).map_or(0, |number| *number),
        };
        let number = if number == 0 { self.next(operand) } else { number };
        Operand::uniform(u32::from(number) - 1)
    }

    fn next(&mut self, operand: Operand) -> u16 {
        self.list.push(self.uniforms.at(operand));
        let n = operand.index() as usize;
        let number = match n.checked_sub(Uniforms::OTHERS) {
            Some(n) => &mut self.others[n],
            None => {
                if n >= self.constants.len() {
                    self.constants.resize((n + 1).next_power_of_two(), 0);
                }
                &mut self.constants[n]
            }
        };
        *number = self.list.len() as u16;
        *number
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
