//! The registers that the launches of a job share between groups: `[sharing]` (docs/sharing.md).

use super::error::{JobError, in_file};
use super::loader::Loader;
use super::node::Node;
use super::{FileLocation, Job, Pass};
use crate::array::{Array, Dtype, WrongArray, describe};
use ctm_lang::program::{Program, Sharing};
use ctm_machine::launch::{LANES, Shared};
use std::path::PathBuf;
use std::sync::Arc;

/// The shared registers of a job.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct JobSharing {
    /// Their numbers and their values before the first pass.
    #[serde(with = "super::packed::registers")]
    pub registers: Shared,
    /// The file for the global registers after the last pass.
    pub save: Option<PathBuf>,
    /// The location of the table in the job file; without one, that of the first pass.
    pub location: FileLocation,
}

impl JobSharing {
    /// Registers for a program, if it uses data sharing: one SIMD, zeros.
    pub fn of_program(program: &Program, location: &FileLocation) -> Option<JobSharing> {
        let registers = Shared::new(program.sharing()?, 1);
        Some(JobSharing { registers, save: None, location: location.clone() })
    }
}

/// The global registers as an array: float32 (simds, g, 64, 4).
pub fn array(registers: &Shared) -> Array {
    let units = registers.globals.as_flattened().to_vec();
    Array { dtype: Dtype::Float32, shape: shape(registers), units }
}

fn shape(registers: &Shared) -> Vec<usize> {
    vec![registers.simds as usize, registers.sharing.globals(), LANES, 4]
}

/// Refuses an array that cannot be the global registers.
pub(super) fn check_array(array: Array, registers: &Shared) -> Result<Array, WrongArray> {
    let shape = shape(registers);
    if array.dtype == Dtype::Float32 && array.shape == shape {
        Ok(array)
    } else {
        let needed = describe(Dtype::Float32.name(), &shape);
        Err(WrongArray { found: array.describe(), needed })
    }
}

/// Reads `[sharing]`. The numbers of registers come from the programs of the passes.
pub(super) fn read(
    job: &Job,
    loader: &Loader<'_>,
    root: &Node<'_>,
) -> Result<Option<JobSharing>, JobError> {
    let table = root.read("sharing", |node| node.table("simds initial save"))?;
    let Some(sharing) = counts(job)? else {
        let text = "no program of the job uses data sharing";
        return table.map_or(Ok(None), |table| Err(table.error(text)));
    };
    let Some(table) = table else {
        let (registers, location) = (Shared::new(sharing, 1), job.passes[0].location.clone());
        return Ok(Some(JobSharing { registers, save: None, location }));
    };
    for key in ["initial", "save"] {
        if let Some(node) = table.get(key).filter(|_| sharing.globals() == 0) {
            return Err(node.error(NO_GLOBALS));
        }
    }
    let simds = table.read("simds", |node| node.unsigned(1, Shared::MOST_SIMDS))?;
    let mut registers = Shared::new(sharing, simds.unwrap_or(1));
    if let Some(node) = table.get("initial") {
        let (path, array) = loader.array(&node)?;
        let array = check_array(array, &registers);
        let array = array.map_err(|error| node.error(in_file(&path, error)))?;
        registers.globals = Arc::new(array.units.as_chunks().0.to_vec());
    }
    let save = table.read("save", |node| loader.path(&node))?;
    Ok(Some(JobSharing { registers, save, location: table.location(&["save"]) }))
}

/// The error of global registers that cannot be given, saved or compared.
pub(super) const NO_GLOBALS: &str = "the programs of the job have no global registers";

/// The numbers of registers that the programs of a job ask for.
pub(super) fn counts(job: &Job) -> Result<Option<Sharing>, JobError> {
    let counts =
        |pass: &Pass| pass.program.sharing().map(|sharing| (sharing.globals(), sharing.clauses()));
    let mut passes = job.passes.iter().filter_map(|pass| Some((pass, counts(pass)?)));
    let Some((first, (globals, clauses))) = passes.next() else { return Ok(None) };
    match passes.find(|(_, other)| *other != (globals, clauses)) {
        None => Ok(first.program.sharing()),
        Some((pass, (other_globals, other_clauses))) => {
            let text = format!(
                "its program asks for {other_globals} global registers and {other_clauses} clause \
                 temporaries, that of the pass in line {} for {globals} and {clauses}; all programs \
                 of a job have the same ones",
                first.location.line
            );
            Err(job.error_at(&pass.location, "", text))
        }
    }
}
