//! Why a program is not translated.

use ctm_machine::engine::Why;

/// Why a program, or a launch of it, cannot become its own shader. The interpreter runs it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Reason {
    /// The program makes uncached writes.
    #[error("uncached writes have an order among points that a translated program does not keep")]
    Uncached,
    /// The launch computes in mode `chip`.
    #[error("mode chip has no shaders; the block engine runs it")]
    Chip,
    /// Groups share registers.
    #[error("groups share registers; the block engine runs them in their order")]
    Sharing,
    /// Flow control that is not a statement.
    #[error("the flow control at pc {pc} is irregular: {what}")]
    Irregular {
        /// The instruction.
        pc: u32,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Control reaches a slot without an instruction.
    #[error("control reaches slot {pc}, which holds no instruction")]
    Missing {
        /// The slot.
        pc: u32,
    },
    /// Statements or calls nest deeper than a stack or a counter allows.
    #[error("{what} nest deeper than {limit} at pc {pc}")]
    Depth {
        /// What nests.
        what: &'static str,
        /// The instruction.
        pc: u32,
        /// The deepest nesting allowed.
        limit: u32,
    },
    /// Subroutines copied to their calls make the program too long.
    #[error(
        "with subroutines in place of their calls the program has more than {limit} instructions"
    )]
    TooLarge {
        /// The greatest length allowed.
        limit: usize,
    },
    /// A group can exceed its budget.
    #[error("a group may execute {bound} instructions, and its budget is {limit}")]
    Budget {
        /// The most instructions that a group can execute.
        bound: u64,
        /// The budget.
        limit: u64,
    },
    /// The adapter's driver could end a loop too early.
    #[error("loops may make {iterations} turns, and the adapter is good for {limit}")]
    Iterations {
        /// The most iterations that they can make.
        iterations: u64,
        /// The most iterations that the adapter makes.
        limit: u64,
    },
    /// An instruction writes inactive points where points may have taken different paths.
    #[error("pc {pc} writes inactive points where points may have gone different ways")]
    Inactive {
        /// The instruction.
        pc: u32,
    },
    /// An instruction reads other points where points may have taken different paths.
    #[error("pc {pc} reads other points of its quad where points may have gone different ways")]
    Neighbours {
        /// The instruction.
        pc: u32,
    },
    /// A decision drags uncovered points along, and other points can read them.
    #[error(
        "the decision at pc {pc} drags uncovered points along, and other points of their quads \
         can read them"
    )]
    Uncovered {
        /// The instruction.
        pc: u32,
    },
    /// Something is read and written in a way that points could observe.
    #[error("memory is shared: {what}")]
    Overlap {
        /// What is shared.
        what: String,
    },
    /// A surface reaches outside memory.
    #[error("{what} reaches outside memory")]
    Outside {
        /// The surface.
        what: String,
    },
    /// An instruction of the program names a surface that is not set.
    #[error("{what} is not set")]
    NotSet {
        /// The surface.
        what: String,
    },
}

impl Reason {
    /// Why the interpreter runs the launch.
    pub fn why(&self) -> Why {
        Why::new(self.kind(), self)
    }

    /// The reason in a few words, without numbers and names. Counts are grouped by it.
    pub fn kind(&self) -> &'static str {
        match self {
            Reason::Uncached => "uncached writes",
            Reason::Chip => "mode chip",
            Reason::Sharing => "data sharing",
            Reason::Irregular { .. } => "irregular flow control",
            Reason::Missing { .. } => "missing instruction",
            Reason::Depth { .. } => "deep nesting",
            Reason::TooLarge { .. } => "too many instructions",
            Reason::Budget { .. } => "budget",
            Reason::Iterations { .. } => "many turns of loops",
            Reason::Inactive { .. } => "writes inactive points",
            Reason::Neighbours { .. } => "reads other points",
            Reason::Uncovered { .. } => "drags uncovered points",
            Reason::Overlap { .. } => "shared memory",
            Reason::Outside { .. } => "outside memory",
            Reason::NotSet { .. } => "surface not set",
        }
    }
}
