//! The start-up probe: which guards does a host need to produce the exact bits?
//!
//! It compares functions of `shaders/float.wgsl` over hard operands with [`ctm_isa::float`]. It knows
//! the float model, but no programs and no devices.

mod functions;
mod operands;
mod seeded;

pub use functions::{ENTRY, Function, functions, kernel, probed};
pub use operands::{Random, hard};
pub use seeded::{fractions, seeded, seeded_kernel};

use crate::guards::Guards;
use ctm_machine::engine::GpuError;
use std::fmt;

/// The probe's result for a usable host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    /// The guard level that the host needs.
    pub guards: Guards,
    /// The number of results compared at that level. All were equal.
    pub passed: usize,
    /// The lower levels, each with the first result that was wrong.
    pub rejected: Vec<(Guards, Mismatch)>,
}

/// A result whose bits differ from those of the float model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The function's name.
    pub function: String,
    /// The operands, 1 to 4.
    pub operands: Vec<u32>,
    /// The host's result.
    pub got: u32,
    /// The expected result.
    pub expected: u32,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.function)?;
        for (i, operand) in self.operands.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}0x{operand:08x}")?;
        }
        write!(f, ") gave 0x{:08x}, expected 0x{:08x}", self.got, self.expected)
    }
}

/// Errors of the probe: the host cannot be used in the mode `exact`, or the probe could not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// No guard level gives the exact bits.
    #[error("the adapter does not give the exact bits at any guard level{}", reasons(.0))]
    Unsuitable(Vec<(Guards, Mismatch)>),
    /// The GPU failed.
    #[error("the float probe could not run: {0}")]
    Gpu(#[from] GpuError),
}

fn reasons(rejected: &[(Guards, Mismatch)]) -> String {
    rejected.iter().map(|(level, mismatch)| format!("; level {level}: {mismatch}")).collect()
}

/// Finds the lowest of `levels` at which a host produces the exact bits: `run` gives the results of all functions
/// at a guard level, the first function's in the order of the tuples, then the next one's.
///
/// # Errors
/// [`ProbeError::Unsuitable`] if no level does; [`ProbeError::Gpu`] if `run` failed.
pub fn decide(
    levels: impl IntoIterator<Item = Guards>,
    functions: &[Function],
    mut run: impl FnMut(Guards, &[[u32; 4]]) -> Result<Vec<u32>, GpuError>,
) -> Result<ProbeReport, ProbeError> {
    let tuples = hard();
    let mut rejected = Vec::new();
    for guards in levels {
        let results = run(guards, &tuples)?;
        match compare(functions, &tuples, &results) {
            None => {
                return Ok(ProbeReport { guards, passed: results.len(), rejected });
            }
            Some(mismatch) => rejected.push((guards, mismatch)),
        }
    }
    Err(ProbeError::Unsuitable(rejected))
}

/// The first of `results` (ordered as in [`decide`]) that differs from the CPU's; `None` if
/// all are equal.
pub fn compare(functions: &[Function], tuples: &[[u32; 4]], results: &[u32]) -> Option<Mismatch> {
    functions.iter().zip(results.chunks(tuples.len().max(1))).find_map(|(function, results)| {
        tuples.iter().zip(results).find_map(|(&tuple, &got)| {
            let expected = (function.exact)(tuple);
            (got != expected).then(|| Mismatch {
                function: function.name.clone(),
                operands: tuple[..function.operands].to_vec(),
                got,
                expected,
            })
        })
    })
}

#[cfg(test)]
mod tests;
