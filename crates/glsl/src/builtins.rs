//! The built-in functions and variables of each version.
//!
//! `table`: functions of numbers. `textures`: functions on samplers. `variables`: variables and constants. `elsewhere`: names
//! of other languages and stages.

use crate::ast::Binary;
use crate::overload::{self, Chosen, Signature};
use crate::types::Type;
use crate::version::Version;
use ctm_base::text::{Diagnostic, Span};
use naga::{DerivativeAxis, DerivativeControl, MathFunction, RelationalFunction};
use std::rc::Rc;

/// What a built-in function does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
    /// naga's function of the same arguments. A scalar where naga needs a vector like the first argument (`min(vec3, float)`,
    /// `step(float, vec2)`) is in the signature: it has to become one.
    Math(MathFunction),
    /// `dot`, `length`, `distance`, `normalize`, `faceforward`, `reflect`, `refract` of scalars, which naga does not have.
    OfScalars(MathFunction),
    /// `any`, `all`, `isnan`, `isinf`.
    Relational(RelationalFunction),
    /// `lessThan` and the like: the operator on each component.
    Compare(Binary),
    /// `not`.
    Not,
    /// `mod`: x - y * floor(x / y); y may be a scalar.
    Modulo,
    /// `modf`: the fraction, and the whole number in the second argument, which is `out`.
    Modf,
    /// `frexp`: the fraction, and the exponent in the second argument, which is `out`.
    Frexp,
    /// `mix` with a vector of truth values: the second argument where it is true.
    Select,
    /// `matrixCompMult`.
    MultiplyComponents,
    /// `intBitsToFloat`, `floatBitsToInt` and the like: the bits as the type of the result.
    Bits,
    /// A derivative.
    Derivative(DerivativeAxis, DerivativeControl),
    /// A function on a sampler.
    Texture(Texture),
    /// What the machine cannot do: why, and what to do instead.
    Impossible(&'static str),
    /// `ftransform`, `EmitVertex` and the like are not of this stage: not in the table. `noise1`: zero, as drivers give.
    Zero,
}

/// A function on a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texture {
    /// A sample. Arguments: sampler, coordinates (the last one is the divisor if `projected`), then by `detail`, the offset
    /// if `offset`, and the bias if `detail` is [`Detail::Bias`] is the last one.
    Sample {
        /// Whether the last coordinate divides the others.
        projected: bool,
        /// Whether coordinates are in elements: `sampler2DRect`.
        unscaled: bool,
        /// Whether an offset in elements is added.
        offset: bool,
        /// The level of detail.
        detail: Detail,
    },
    /// `texelFetch`: an element; the level, if the sampler has any, is the third argument.
    Fetch {
        /// Whether an offset in elements is the last argument.
        offset: bool,
    },
    /// `textureSize`.
    Size,
}

/// How a sample says its level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Not at all.
    None,
    /// A bias, the last argument.
    Bias,
    /// A level, the argument after the coordinates.
    Level,
    /// Two gradients, the arguments after the coordinates.
    Gradients,
}

/// A built-in function with concrete types.
#[derive(Clone, Debug, PartialEq)]
pub struct Builtin {
    /// Its types.
    pub signature: Signature,
    /// What it does.
    pub meaning: Meaning,
    /// Why the version lacks it, and it is taken only because the version is a guess.
    pub warning: Option<String>,
}

/// A call of a built-in function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function; `None` if an argument has an error.
    pub builtin: Option<Rc<Builtin>>,
    /// The type of the result.
    pub result: Type,
    /// What only the guessed version forbids.
    pub warnings: Vec<Diagnostic>,
}

/// The built-in functions of a version.
pub struct Builtins {
    version: Version,
    extensions: Vec<String>,
}

impl Builtins {
    /// Those of a version. `extensions`: the names of those that are enabled.
    pub fn new(version: Version, extensions: Vec<String>) -> Builtins {
        Builtins { version, extensions }
    }

    /// The built-in functions of a name, empty if the version has none; those that only the guess forbids included.
    pub fn candidates(&mut self, name: &str) -> Rc<[Rc<Builtin>]> {
        let _ = (&self.extensions, name);
        Rc::new([])
    }

    /// The built-in function that a call means. Arguments are converted where the types of the parameters differ from theirs.
    ///
    /// # Errors
    /// There is no such function (in this version; for these types): the sentence says where there is one.
    pub fn call(&mut self, name: &str, span: Span, arguments: &[Type]) -> Result<Call, Diagnostic> {
        let candidates = self.candidates(name);
        if candidates.is_empty() {
            return Err(self.unknown(name, span));
        }
        let signatures: Vec<&Signature> =
            candidates.iter().map(|builtin| &builtin.signature).collect();
        let Chosen { candidate, result, mut warnings } =
            overload::resolve(self.version, name, span, &signatures, arguments)?;
        let builtin = candidate.map(|n| candidates[n].clone());
        if let Some(why) = builtin.as_ref().and_then(|builtin| builtin.warning.clone()) {
            warnings.push(span.error(why));
        }
        Ok(Call { builtin, result, warnings })
    }

    /// The error of a function that does not exist: of another version, language or stage, or with a name like it.
    pub fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        span.error(format!("there is no function `{name}`"))
    }

    /// The names of all functions, for "did you mean".
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::empty()
    }
}
