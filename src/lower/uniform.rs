//! Values that are the same for all points of a launch.

use crate::float;
use crate::isa::{LETTERS, Presub};
use crate::launch::Constants;

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
    /// The presubtract of two scalars (src0, src1), in exact arithmetic.
    Presub(Presub, UniformScalar, UniformScalar),
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
    fn resolve(self, constants: &Constants) -> u32 {
        match self {
            UniformScalar::Literal(bits) => bits,
            UniformScalar::Constant(n, channel) => {
                constants.float[n as usize][channel as usize & 3]
            }
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

    /// The bits, with the constants of a launch.
    pub fn resolve(&self, constants: &Constants) -> u32 {
        let value = match self.value {
            UniformValue::Scalar(scalar) => scalar.resolve(constants),
            UniformValue::Presub(op, src0, src1) => {
                let (src0, src1) = (src0.resolve(constants), src1.resolve(constants));
                match op {
                    Presub::Bias => float::presub_bias(src0),
                    Presub::Sub => float::presub_sub(src0, src1),
                    Presub::Add => float::presub_add(src0, src1),
                    Presub::Inv => float::presub_inv(src0),
                }
            }
        };
        let value = float::modify(value, (self.neg as u32) | (self.abs as u32) << 1);
        if self.flush { float::ftz(value) } else { value }
    }

    /// The constants it depends on: number and channel.
    pub fn constants(&self) -> impl Iterator<Item = (u8, u8)> {
        let (first, second) = match self.value {
            UniformValue::Scalar(scalar) => (scalar, None),
            UniformValue::Presub(_, src0, src1) => (src0, Some(src1)),
        };
        let constant = |scalar| match scalar {
            UniformScalar::Literal(_) => None,
            UniformScalar::Constant(n, channel) => Some((n, channel)),
        };
        constant(first).into_iter().chain(second.and_then(constant))
    }

    /// The bits, if they do not depend on constants.
    pub fn known(&self) -> Option<u32> {
        let is_known = self.constants().next().is_none();
        is_known.then(|| self.resolve(&Constants::default()))
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
