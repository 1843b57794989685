//! The limits that a program can pass.

use crate::flow::Control;
use crate::ir::Ir;
use crate::placement::Placement;
use ctm_base::work::Ended;
use ctm_isa::isa::{FLOAT_CONSTANTS, INT_CONSTANTS, MAX_INSTRUCTIONS, TEMPORARIES};
use std::collections::BTreeSet;
use std::fmt;

/// Most branches and loops inside each other: B_POP_CNT has five bits.
const MAX_NESTING: usize = 31;

/// A limit of the machine or of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// No free register for a value.
    Temporaries,
    /// Too many constants.
    Constants,
    /// Too many instructions.
    Instructions,
    /// Branches and loops are nested too deep.
    Nesting,
    /// Too many different trip counts.
    TripCounts,
    /// The compile ends: it was stopped, or its budget of work is used up.
    Work(Ended),
}

impl fmt::Display for Limit {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Temporaries => write!(text, "{TEMPORARIES} temporaries at once"),
            Limit::Constants => write!(text, "{FLOAT_CONSTANTS} constant registers"),
            Limit::Instructions => write!(text, "{MAX_INSTRUCTIONS} instructions"),
            Limit::Nesting => write!(text, "{MAX_NESTING} nested branches and loops"),
            Limit::TripCounts => write!(text, "{INT_CONSTANTS} different counts of loops"),
            Limit::Work(why) => why.fmt(text),
        }
    }
}

/// The program passes a limit: it needs more than that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit.
    pub limit: Limit,
    /// The byte offset of the source where it is passed.
    pub at: u32,
}

impl Limit {
    /// The limit is passed at an offset of the source.
    pub(crate) fn at(self, at: u32) -> Exceeded {
        Exceeded { limit: self, at }
    }
}

/// Checks the limits of flow control.
pub(crate) fn check_flow(ir: &Ir, placement: &Placement) -> Result<(), Exceeded> {
    let mut counts = BTreeSet::new();
    for (n, (block, depth)) in ir.flow.blocks.iter().zip(&placement.cfg.nesting).enumerate() {
        if *depth > MAX_NESTING {
            return Err(Limit::Nesting.at(block.origin));
        }
        if let Control::Loop(count) = block.end {
            // With aL and without.
            counts.insert((count, ir.flow.arrays.iter().any(|array| array.head == n + 1)));
        }
        if counts.len() > INT_CONSTANTS {
            return Err(Limit::TripCounts.at(block.origin));
        }
    }
    Ok(())
}
