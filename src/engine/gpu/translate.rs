//! The translator: a program becomes a shader of its own.
//!
//! A verified program either translates or is refused with a typed [`Reason`]; nothing here
//! panics. The stages, each with its own tests:
//!
//! 1. `state`: what of a launch the translation depends on ([`State`]), and whether points stay out
//!    of each other's way in memory;
//! 2. `flow`: jumps become statements ([`tree::Tree`]), if that is sure to give the same results;
//! 3. `whole`: which coordinates of fetches are whole numbers; `analyse`: what is needed, what is
//!    surely written, who looks at inactive points;
//! 4. `relative`: what relative addressing can reach;
//! 5. `emit` and `access`: text, with the functions of `shaders/*.wgsl` that it calls (`library`);
//! 6. `record`: the words that the shader reads from its launch.
//!
//! # What a translated program gives up
//! It has no notion of a group's instruction count, so it keeps no statistics, and reports no
//! faults. Where it notices one (see [`GAVE_UP`]) it says so in `results`; what it wrote is then worth nothing, and the
//! launch has to be run again, from the memory that there was before, by another engine. Faults of
//! stacks, branch counters, missing instructions and accesses outside memory cannot happen in what
//! is translated; what remains are outputs outside their surface, programs that may run over the
//! budget, and inputs that points fetch from each other although they are written.
//!
//! # Bindings (group 0)
//! 0 and 1: the launch's [`Record`]; 2: `results`, atomic words; 3: memory; 4: copies of what the
//! launch both reads and writes.

mod access;
mod analyse;
mod emit;
mod flow;
mod library;
mod reason;
mod record;
mod relative;
mod state;
pub mod tree;
mod whole;

#[cfg(test)]
mod tests;

pub use flow::recover;
pub use reason::Reason;
pub use record::{Place, Record};
pub use state::{CONDITION, Input, OUTPUT, Options, Output, State, copied};

use crate::lower::Lowered;
use crate::program::Program;

/// Bits of a launch's first word in `results`: the launch has to be run by another engine.
///
/// 1: a write outside a surface; 2: the budget may not have been enough.
pub const GAVE_UP: u32 = 3;

/// Words that a launch has in `results`: why it gave up; groups that ran and points that started,
/// where the conditional operation decides that (location PE); inputs from which a point fetched
/// another one's element although they are written, bit n.
pub const RESULT_WORDS: u32 = 4;

/// A shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Its text.
    pub wgsl: String,
    /// The name of its entry point. One workgroup is one group; workgroup (x, y) is group x, y of
    /// the domain's grouping.
    pub entry: &'static str,
    /// Whether it writes to `results`.
    pub reports: bool,
    /// Where things lie in its launch record, and how its windows are typed.
    pub layout: Layout,
    /// Numbers for people.
    pub stats: Stats,
}

/// What the host must know to make a [`Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Words of an element of the windows: 1, 2 or 4.
    pub unit: u32,
    /// Words before the data of temporaries, a multiple of four.
    pub words: u32,
    /// Where float constants begin, if relative addressing reads them.
    pub constants: Option<u32>,
    /// Where the interpolants' planes begin.
    pub interpolants: Option<u32>,
}

/// Numbers about a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Instructions on the way from start to end: loops once, subroutines once for each call.
    pub instructions: usize,
    /// Micro-operations in the shader.
    pub operations: usize,
    /// Micro-operations of the program that nothing needs.
    pub left_out: usize,
    /// Register channels.
    pub registers: usize,
    /// Values that are read from the launch.
    pub uniforms: usize,
    /// Statements by kind.
    pub statements: tree::Counts,
    /// The most instructions that a group can execute.
    pub bound: u64,
    /// The most turns that all loops together can make.
    pub turns: u64,
    /// Points count what they do, since it may be too much; they then may give up.
    pub counted: bool,
}

/// Translates a program for a state. `lowered` is `program` lowered.
///
/// # Errors
/// Why it cannot be translated.
pub fn translate(
    program: &Program,
    lowered: &Lowered,
    state: &State,
) -> Result<Translation, Reason> {
    let tree = recover(lowered, &state.int_constants(), state.bools)?;
    let analysis = analyse::analyse(lowered, &tree, state)?;
    Ok(emit::Emit::new(program, lowered, &tree, state, &analysis)?.finish())
}
