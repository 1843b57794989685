//! Writes a generated case as a job folder that shows the same difference.

use super::case::Case;
use ctm_base::files;
use ctm_jobs::job::Problem;
use ctm_jobs::job::write::launch::{self, Exported};
use ctm_lang::asm;
use std::fmt::Write;
use std::path::Path;

/// Writes the files of [`launch::write`], and `about.txt` with the disassembly and `note`.
/// Creates the folder if it is missing.
///
/// # Errors
/// At the first file that cannot be written.
pub fn write(case: &Case, folder: &Path, note: &str) -> Result<Exported, Problem> {
    let of = format!("{} of seed {}, strength {}", case.index, case.seed, case.strength.name());
    let (launch, memory) = (&case.launch, case.memory()?);
    let short = format!("program {of}, reduced");
    let written = launch::write(folder, &short, launch, &memory, Some(Case::BASE), None)?;
    let mut about = format!("Program {of}, as small as it could be made.\n\n{note}\n\n");
    for lost in &written.lost {
        let _ = writeln!(about, "A job file cannot say this: {lost}");
    }
    let image = launch.program.image();
    for (pc, words) in image.words.iter().enumerate() {
        let _ = writeln!(about, "{pc:3}  {}", asm::line(words, image.sharing));
    }
    let path = folder.join("about.txt");
    files::write(&path, about.as_bytes()).map_err(|error| Problem::write(&path, &error))?;
    Ok(written)
}
