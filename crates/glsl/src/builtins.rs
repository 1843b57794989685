//! The built-in functions and variables of each version.
//!
//! `table`: functions of numbers. `textures`: functions on samplers. `variables`: variables and constants. `elsewhere`: names
//! of other languages and stages.

pub mod elsewhere;
mod signatures;
mod since;
mod table;
mod textures;
pub mod variables;

use crate::ast::Binary;
use crate::constant::Packing;
use crate::near;
use crate::overload::{self, Chosen, Signature};
use crate::types::Type;
use crate::version::Version;
use ctm_base::text::{Diagnostic, Span};
use naga::{DerivativeAxis, DerivativeControl, MathFunction, RelationalFunction};
pub use since::{COMPATIBILITY, Since};
use std::collections::HashMap;
use std::rc::Rc;
pub use table::NO_BITS;
pub use textures::{impossible, sampler};
use variables::Variable;

/// The operations of built-in functions.
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
    /// `outerProduct`: column n is the first argument times component n of the second. naga's function of this name takes
    /// its result for the transpose.
    OuterProduct,
    /// `intBitsToFloat`, `floatBitsToInt` and the like: the bits as the type of the result.
    Bits,
    /// A derivative.
    Derivative(DerivativeAxis, DerivativeControl),
    /// A function on a sampler.
    Texture(Texture),
    /// `noise1` and the like, which drivers give as 0.
    Zero,
    /// Floats into the bits of an integer, of constants.
    Pack(Packing),
    /// Floats out of the bits of an integer, of constants.
    Unpack(Packing),
    /// An operation that the machine lacks: why, and a remedy.
    Impossible(&'static str),
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
    /// Its operation.
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
    /// Uses that only the guessed version forbids.
    pub warnings: Vec<Diagnostic>,
}

/// The built-in functions and variables of a version.
pub struct Builtins {
    version: Version,
    extensions: Vec<String>,
    known: HashMap<String, Rc<[Rc<Builtin>]>>,
}

impl Builtins {
    /// Those of a version. `extensions`: the names of those that are enabled.
    pub fn new(version: Version, extensions: Vec<String>) -> Builtins {
        Builtins { version, extensions, known: HashMap::new() }
    }

    /// The built-in functions of a name, empty if the version has none. Those that only the guess forbids are included; a
    /// function of the source hides these.
    pub fn candidates(&mut self, name: &str) -> Rc<[Rc<Builtin>]> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let mut found: Vec<Rc<Builtin>> = Vec::new();
        // The version's own first: of two with the same parameters, one is enough.
        let (own, others): (Vec<_>, Vec<_>) = all(name)
            .into_iter()
            .partition(|(_, since, _)| since.has(self.version, &self.extensions));
        let others = if self.version.guessed { others } else { Vec::new() };
        let own = own.into_iter().map(|(signature, _, meaning)| (signature, None, meaning));
        let others = others.into_iter().map(|(signature, since, meaning)| {
            let why = format!(
                "`{name}` is a function of {}; without `#version` this source is taken for {}",
                since.words(),
                self.version
            );
            (signature, Some(why), meaning)
        });
        for (signature, warning, meaning) in own.chain(others) {
            if !found.iter().any(|known| known.signature.same_parameters(&signature)) {
                found.push(Rc::new(Builtin { signature, meaning, warning }));
            }
        }
        let found: Rc<[Rc<Builtin>]> = found.into();
        // Names of the source that are no functions are not kept.
        if !found.is_empty() {
            self.known.insert(name.to_string(), found.clone());
        }
        found
    }

    /// The built-in function that a call means. Arguments are converted where the types of the parameters differ from theirs.
    ///
    /// # Errors
    /// There is no such function (in this version; for these types): the sentence says where there is one.
    pub fn call(&mut self, name: &str, span: Span, arguments: &[Type]) -> Result<Call, Diagnostic> {
        let candidates = self.candidates(name);
        if candidates.is_empty() {
            return Err(self.unknown(name, span, std::iter::empty()));
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

    /// The error of a function that does not exist: of another version, language or stage, or with a name like one of these
    /// or of `others`, the functions of the source.
    pub fn unknown<'n>(
        &self,
        name: &str,
        span: Span,
        others: impl Iterator<Item = &'n str>,
    ) -> Diagnostic {
        let version = self.version;
        if let Some((_, since, _)) = all(name).first() {
            let error = span
                .error(format!("{version} has no function `{name}` (it is in {})", since.words()));
            let extension = since.extensions.iter().flatten().next();
            return match (textures::modern(name), extension) {
                (Some(modern), _) if version.has(300, 130) => {
                    error.help(format!("{version} calls it `{modern}`"))
                }
                (_, Some(extension)) => {
                    error.help(format!("write `#extension {extension} : enable` above"))
                }
                _ if name.starts_with("texture") => {
                    error.help(format!("write `texture2D{}`", &name["texture".len()..]))
                }
                _ => error
                    .help(format!("write `#version {}` in the first line", version_with(*since))),
            };
        }
        let error = span.error(format!("there is no function `{name}`"));
        if let Some(help) = elsewhere::function(name) {
            return error.help(help);
        }
        let own = self.names().map(|name| -> &'n str { name });
        let near = near::nearest(name, own.chain(others));
        match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("a function must be declared before it is called"),
        }
    }

    /// The names of the functions that the version has.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let own = table::LINES
            .iter()
            .filter(|line| line.2.has(self.version, &self.extensions))
            .map(|line| line.0);
        let textures = textures::NAMES.into_iter().filter(|name| {
            textures::named(name)
                .iter()
                .any(|found| found.since.has(self.version, &self.extensions))
        });
        own.chain(textures)
    }

    /// The built-in variable or constant of a name, and a warning if only the guess forbids it; `None` if no version has one.
    ///
    /// # Errors
    /// It is of another version or stage, or the machine does not have it.
    pub fn variable(
        &self,
        name: &str,
        span: Span,
    ) -> Result<Option<(&'static Variable, Option<Diagnostic>)>, Diagnostic> {
        let version = self.version;
        let Some(variable) = variables::named(name) else {
            return match elsewhere::variable(name).filter(|_| name.starts_with("gl_")) {
                Some(help) => {
                    Err(span.error(format!("there is no variable `{name}` here")).help(help))
                }
                None => Ok(None),
            };
        };
        let since = variable.since;
        if since.has(version, &self.extensions) {
            return Ok(Some((variable, None)));
        }
        let words = since.words();
        if version.guessed {
            let warning = span.error(format!(
                "`{name}` is of {words}; without `#version` this source is taken for {version}"
            ));
            return Ok(Some((variable, Some(warning))));
        }
        let error = span.error(format!("{version} has no `{name}` (it is in {words})"));
        Err(match (variable.storage, since.extensions[0]) {
            (variables::Storage::Output(Some(_)), _) => {
                error.help("declare an output, as `out vec4 color;`, and write to it")
            }
            (variables::Storage::Uniform, _) => error.help("declare a `uniform`"),
            (_, Some(extension)) => {
                error.help(format!("write `#extension {extension} : enable` above"))
            }
            _ => error,
        })
    }

    /// The built-in structure of a name, if the version has it, or is a guess.
    pub fn structure(&self, name: &str) -> Option<Type> {
        let found = variables::structure(name)?;
        let known = self.version.guessed || found.since.has(self.version, &self.extensions);
        known.then(|| found.ty())
    }
}

/// All built-in functions of a name, of any version.
fn all(name: &str) -> Vec<(Signature, Since, Meaning)> {
    let lines = table::LINES.iter().filter(|line| line.0 == name);
    let mut found = Vec::new();
    for table::Line(_, texts, since, meaning) in lines {
        for text in *texts {
            found.extend(
                signatures::expand(text).into_iter().map(|signature| (signature, *since, *meaning)),
            );
        }
    }
    let textures = textures::named(name).into_iter();
    found.extend(textures.map(|found| (found.signature, found.since, found.meaning)));
    found
}

/// The directive of the first version that has something.
fn version_with(since: Since) -> String {
    match since {
        Since { desktop: 0, es: 100, .. } => "100".into(),
        Since { desktop: 0, es, .. } => format!("{es} es"),
        Since { desktop, .. } => desktop.to_string(),
    }
}

#[cfg(test)]
mod tests;
