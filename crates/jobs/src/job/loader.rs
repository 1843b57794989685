//! Reads the files that a job names, and refuses what a job gives twice.

use super::SharedFiles;
use super::error::{JobError, in_file, unreadable};
use super::node::Node;
use ctm_base::stop::Stop;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Reads the files that a job names.
pub struct Loader<'a> {
    pub(super) base: &'a Path,
    /// The files that this job and others have read.
    pub(super) shared: &'a SharedFiles,
    /// Ends the reading of the job early.
    pub(super) stop: &'a Stop,
}

impl Loader<'_> {
    /// The path that a key names, relative to the job's folder. Refuses paths that jobs may not
    /// use.
    pub fn path(&self, node: &Node<'_>) -> Result<PathBuf, JobError> {
        self.stop.check().map_err(|why| node.error(why))?;
        let name = Path::new(node.string()?);
        let path = self.base.join(name);
        let allowed = self.shared.check_in(self.base, name);
        allowed.map_err(|reason| node.error(in_file(&path, reason)))?;
        Ok(path)
    }

    /// The contents of the file that a key names, at most `limit` bytes.
    pub fn read(&self, node: &Node<'_>, limit: u64) -> Result<(PathBuf, Vec<u8>), JobError> {
        let path = self.path(node)?;
        let bytes =
            self.shared.read(&path, limit).map_err(|e| node.error(unreadable(&path, &e)))?;
        Ok((path, bytes))
    }
}

/// The names already given, with their lines.
#[derive(Default)]
pub struct Seen(HashMap<String, u32>);

impl Seen {
    /// Refuses a second `what`; returns it otherwise.
    pub fn add(&mut self, node: &Node<'_>, what: String) -> Result<String, JobError> {
        match self.0.insert(what.clone(), node.line()) {
            None => Ok(what),
            Some(line) => Err(node.error(twice(&what, line))),
        }
    }
}

/// The problem of `what`, which line `line` gave first.
pub fn twice(what: &str, line: u32) -> String {
    format!("{what} is given twice, first in line {line}")
}
