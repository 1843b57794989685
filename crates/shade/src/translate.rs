//! The translator: a program becomes its own shader.
//!
//! A verified program either translates or is refused with a reason ([`Why`]). Nothing here panics.
//! Each stage has its own tests:
//!
//! 1. `state`: what a translation depends on in a launch ([`State`]), and whether points interfere
//!    with each other in memory;
//! 2. `flow`: jumps become statements ([`tree::Tree`]), if that is certain to give the same
//!    results;
//! 3. `whole`: which coordinates of fetches are whole numbers; `analyse`: what is needed, what is
//!    certain to be written, and which instructions look at inactive points; `flush`: which results
//!    need no flush;
//! 4. `relative`: what relative addressing can reach;
//! 5. `emit` and `access`: text, with what it reaches of `shaders/*.wgsl`;
//! 6. `record`: the words that the shader reads from its launch.
//!
//! # What a translated program gives up
//! It does not know a group's instruction count, so it keeps no statistics but the groups and points
//! that the conditional operation decides, and reports no faults. If it notices a fault, it says so
//! in `results` (`GAVE_UP` numbers). What it wrote is then invalid, and another engine must run the
//! launch again, from the memory as it was before. Faults of
//! stacks, branch counters, missing instructions and accesses outside memory cannot occur in a
//! translated program. What remains are outputs outside their surface, programs that may exceed the
//! budget, and written inputs from which points fetch each other's elements.
//!
//! # Bindings (group 0)
//! 0 and 1: the launch's [`Record`]; 2: `results` (`abi::results::Counts`); 3: memory; 4: copies of
//! what the launch both reads and writes; 5, if [`Translation::starts`]: the data that temporaries
//! start with, one after the other, each one value per point of the domain, row by row.

mod access;
mod analyse;
mod emit;
mod flow;
mod flush;
mod record;
mod relative;
mod state;
pub mod tree;
mod whole;

#[cfg(test)]
mod tests;

pub use flow::recover;
pub use record::{Record, starts};
pub use state::{Input, Options, Output, Sizes, State, copied, texels};

use ctm_lang::program::Program;
use ctm_machine::engine::Why;
use ctm_machine::lower::Lowered;

/// A translated shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Its text.
    pub wgsl: String,
    /// The name of its entry point. One workgroup is one group; workgroup (x, y) is group x, y of
    /// the domain's grouping.
    pub entry: &'static str,
    /// Whether it writes to `results`.
    pub reports: bool,
    /// Whether it reads the data that temporaries start with.
    pub starts: bool,
    /// The bound of all numbers that it writes to each output.
    pub outputs: [Sizes; 4],
    /// The positions in its launch record, and the type of its windows.
    pub layout: Layout,
    /// Figures for display.
    pub stats: Stats,
}

impl Translation {
    /// Whether the translation for `state` may detect an event that another engine has to report.
    pub fn may_give_up(&self, state: &State) -> bool {
        let bounds =
            |output: &Option<Output>| output.as_ref().is_some_and(|output| output.bounds.is_some());
        self.stats.counted
            || state.outputs.iter().any(bounds)
            || state.condition.as_ref().is_some_and(|c| bounds(&c.buffer))
    }
}

/// The layout by which the host makes a [`Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The number of words in an element of the windows: 1, 2 or 4.
    pub unit: u32,
    /// The number of words, a multiple of four.
    pub words: u32,
    /// The position of the float constants, if relative addressing reads them.
    pub constants: Option<u32>,
    /// The position of the interpolants' planes.
    pub interpolants: Option<u32>,
}

/// Figures about a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Instructions on the path from start to end: loops once, subroutines once per call.
    pub instructions: usize,
    /// Micro-operations in the shader.
    pub operations: usize,
    /// Micro-operations of the program that are not needed.
    pub left_out: usize,
    /// Register channels.
    pub registers: usize,
    /// Values that are read from the launch.
    pub uniforms: usize,
    /// Statements by kind.
    pub statements: tree::Counts,
    /// The most instructions that a group can execute.
    pub bound: u64,
    /// The most iterations that all loops together can make.
    pub iterations: u64,
    /// Whether points count their work, because it may be too much. They may then give up.
    pub counted: bool,
}

/// Translates a program for a state. `lowered` is `program`, lowered.
///
/// # Errors
/// The reason why it cannot be translated.
pub fn translate(program: &Program, lowered: &Lowered, state: &State) -> Result<Translation, Why> {
    let tree = recover(lowered, &state.int_constants(), state.bools)?;
    let analysis = analyse::analyse(lowered, &tree, state)?;
    Ok(emit::Emit::new(program, lowered, &tree, state, &analysis)?.finish())
}
