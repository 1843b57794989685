//! A direct evaluation of GLSL shaders, to test the compiler with: naga's module runs statement by statement, one point at
//! a time, on the machine's arithmetic. It knows nothing of the graph: no rule, no merging of branches, no unrolling.
//!
//! `run`: statements and expressions. `trace`: the stores to variables.

mod run;
mod trace;

pub use ctm_functions::number::{Number, Numbers};

use crate::front::{self, Front};
use ctm_base::stop::Stop;
use ctm_base::text::{SourceText, TextErrors};
use ctm_base::work::Work;
use trace::Trace;

/// The inputs of a shader, by the names of its source.
pub trait Environment {
    /// The bits of a component of a uniform, column by column.
    fn uniform(&self, name: &str, component: usize) -> u32;
    /// The bits of a component of a varying at this point.
    fn varying(&self, name: &str, component: usize) -> u32;
    /// The width and height of an input.
    fn size(&self, sampler: &str) -> [u32; 2];
    /// The element of an input; coordinates may be outside.
    fn fetch(&self, sampler: &str, x: i32, y: i32) -> [u32; 4];
}

/// The result at a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Whether the point ended by `discard`.
    pub killed: bool,
    /// Whether a rule that GLSL allows may lead to another path.
    pub doubtful: bool,
    /// The outputs: slot and channels.
    pub outputs: Vec<(u8, Vec<Number>)>,
}

/// A store to a component of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Store {
    /// An index of [`Stores::variables`].
    pub variable: usize,
    /// The component.
    pub component: u32,
    /// The line of the statement, from 1; 0 if it has none.
    pub line: u32,
    /// The value.
    pub value: Number,
    /// No statement stores: the value after a branch or loop, or at the start of an iteration.
    pub joined: bool,
}

/// The stores to variables at a point, in their order.
#[derive(Clone, Debug, Default)]
pub struct Stores {
    /// Whether the point ended by `discard`.
    pub killed: bool,
    /// The variables: the function, empty for global variables, the name, and the line of the declaration.
    pub variables: Vec<(String, String, u32)>,
    /// The stores.
    pub stores: Vec<Store>,
}

/// A GLSL shader.
pub struct Evaluator(Front, SourceText);

impl Evaluator {
    /// Reads a shader. `name` is the source's name in error messages.
    ///
    /// # Errors
    /// The errors of the source.
    pub fn new(source: &str, name: &str) -> Result<Evaluator, TextErrors> {
        let work = Work::new(Stop::never());
        let text = || SourceText::from(source.to_string());
        TextErrors::of(source, name, |source| {
            front::glsl(source, &work).map(|front| Evaluator(front, text()))
        })
    }

    /// The result at a point.
    ///
    /// # Errors
    /// The shader has something that the evaluator does not know: derivatives, or anything that the compiler refuses.
    pub fn run(&self, environment: &dyn Environment) -> Result<Point, String> {
        run::run(&self.0, environment, None).map(|(point, _)| point)
    }

    /// The stores to variables at a point.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn stores(&self, environment: &dyn Environment) -> Result<Stores, String> {
        let (_, stores) = run::run(&self.0, environment, Some(Trace::of(&self.1)))?;
        Ok(stores.unwrap_or_default())
    }
}
