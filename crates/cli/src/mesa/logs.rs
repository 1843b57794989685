//! The logs that `ctm mesa` examines.

use super::super::{jobs, programs};
use anyhow::bail;
use ctm_jobs::job::SharedFiles;
use ctm_jobs::load::{self, Kind};
use ctm_lang::raw::{self, RawError};
use ctm_tools::mesa::log::{self, Logged};
use std::path::{Path, PathBuf};

/// A log, and its programs that are to be examined.
pub(super) struct Log {
    pub path: PathBuf,
    pub programs: Vec<Logged>,
    pub vertex_programs: usize,
}

impl Log {
    /// Reads a log.
    pub fn read(path: &Path, shared: &SharedFiles) -> anyhow::Result<Log> {
        let name = path.display();
        let bytes = programs::read(path, shared)?;
        if bytes.starts_with(&load::RECORDING) {
            bail!("{name}: {}", load::IS_RECORDING);
        }
        let text = String::from_utf8_lossy(&bytes);
        let (programs, vertex_programs) = (log::read(&text), raw::vertex_programs(&text));
        if programs.is_empty() {
            bail!(match (load::detect(&bytes), vertex_programs) {
                (_, count @ 1..) => format!("{name}: {}", RawError::OnlyVertexPrograms { count }),
                // Nothing but Gallium's shader.
                (Kind::Mesa, 0) => format!("{name}: {}", RawError::NoMesaProgram),
                (_, 0) => format!(
                    "{name}: found no `Fragment Program: ...` heading, expected a log of RADEON_DEBUG=fp"
                ),
            });
        }
        Ok(Log { path: path.to_path_buf(), programs, vertex_programs })
    }

    /// A program: its number, and its name if the log has it.
    pub fn name(&self, program: usize) -> String {
        match &self.programs[program].name {
            Some(name) => format!("program {program} ({name})"),
            None => format!("program {program}"),
        }
    }

    /// The programs that are to be examined.
    pub fn selected(&self, index: Option<usize>) -> anyhow::Result<Vec<usize>> {
        let count = self.programs.len();
        match index {
            Some(n) if n >= count => {
                let (name, holds) = (
                    self.path.display(),
                    ctm_base::text::numbers::count(count as u64, "program", "programs"),
                );
                bail!("{name}: index {n} is out of range: the log holds {holds}, counted from 0")
            }
            Some(n) => Ok(vec![n]),
            None => Ok((0..count).collect()),
        }
    }
}

/// The logs that the arguments name: files themselves, and the files *.log in and below folders.
pub(super) fn collect(paths: &[PathBuf], shared: &SharedFiles) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        jobs::check_folder(shared, path)?;
        let before = files.len();
        jobs::walk(path, "log", &mut files)?;
        if files.len() == before {
            bail!("{}: there is no file *.log in it", path.display());
        }
    }
    Ok(files)
}
