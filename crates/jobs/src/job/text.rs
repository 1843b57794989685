//! The text of a job file, parsed once: the files that the job names and the job itself come from the same tree.

use super::files::{JobFiles, has_job, has_job_line};
use super::node::{Node, Source};
use super::{Job, JobError, MAX_FILE, SharedFiles};
use ctm_base::panics;
use ctm_base::stop::Stop;
use std::path::{Path, PathBuf};
use toml_spanner::{Arena, OwnedTable};

/// The text of a job file, and its tree if it is TOML.
///
/// # Examples
/// ```
/// use ctm_jobs::job::JobText;
/// use std::path::Path;
///
/// let text = JobText::new("program = { file = \"p.dpp\" }".to_string(), Path::new("jobs/a.toml"));
/// assert!(text.is_job());
/// assert_eq!(text.files().reads, [Path::new("jobs/p.dpp")]);
/// ```
#[derive(Debug)]
pub struct JobText {
    file: PathBuf,
    text: String,
    /// `None`: it has an error, which the job reports.
    tree: Option<OwnedTable>,
}

impl JobText {
    /// The text of a job file, if `shared` allows reading it.
    ///
    /// # Errors
    /// As [`Job::text`].
    pub fn read(file: &Path, shared: &SharedFiles) -> Result<JobText, JobError> {
        Ok(JobText::new(Job::text(file, shared)?, file))
    }

    /// A text; `file` is its name, and relative paths in it are relative to the folder of `file`.
    pub fn new(text: String, file: &Path) -> JobText {
        let parse = || {
            let arena = Arena::new();
            let tree = toml_spanner::parse(&text, &arena).ok()?;
            Some(OwnedTable::from(tree.table()))
        };
        // A longer text is an error of the job.
        let is_short = text.len() as u64 <= MAX_FILE;
        let tree = if is_short { panics::catch(parse).ok().flatten() } else { None };
        JobText { file: file.to_path_buf(), text, tree }
    }

    /// Whether it has the structure of a job: as [`is_job`](super::is_job), but any line that gives a program or a pass
    /// is enough in a text with syntax errors.
    pub fn is_job(&self) -> bool {
        match &self.tree {
            Some(tree) => has_job(tree.table()),
            None => self.text.len() as u64 <= MAX_FILE && has_job_line(&self.text, true),
        }
    }

    /// The files that it names. Text that is not TOML names none.
    pub fn files(&self) -> JobFiles {
        let files = |tree: &OwnedTable| {
            let source = Source::new(&self.file, &self.text);
            panics::catch(|| {
                JobFiles::of_root(&Node::root(&source, tree.table()), &self.file, self.text.len())
            })
        };
        self.tree.as_ref().and_then(|tree| files(tree).ok()).unwrap_or_default()
    }

    /// [`JobFiles::digest`] of its files.
    pub fn digest(&self, files: &JobFiles, shared: &SharedFiles) -> u128 {
        files.digest(&self.text, shared)
    }

    /// At most so many bytes of memory that it takes.
    pub fn bytes(&self) -> u64 {
        // An element of an array takes two bytes of text and 24 of the tree; a key and its value four and 48.
        14 * self.text.len() as u64 + 256
    }

    /// The job.
    ///
    /// # Errors
    /// As [`Job::read_shared`].
    pub fn job(&self, shared: &SharedFiles, stop: &Stop) -> Result<Job, JobError> {
        Job::of_parsed(
            &self.text,
            self.tree.as_ref().map(OwnedTable::table),
            &self.file,
            shared,
            stop,
        )
    }
}

/// The text alone.
impl From<JobText> for String {
    fn from(text: JobText) -> String {
        text.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &str) -> [Result<Job, JobError>; 2] {
        let file = Path::new("dir/job.toml");
        let shared = SharedFiles::holding([].into(), None);
        let carried = JobText::new(text.to_string(), file);
        [carried.job(&shared, Stop::never()), Job::parse_shared(text, file, &shared, Stop::never())]
    }

    #[test]
    fn errors_have_their_lines_and_values() {
        for (text, expected) in [
            ("version = 1\nprogram = 3\n", "dir/job.toml:1: domain: missing"),
            ("version = 1\n\n[[output]]\nformat = \"FLOAT9\"\n", "dir/job.toml:"),
            ("version = 0x1_0\n", "dir/job.toml:1: version"),
            ("version = 1\nabout = \"a\\nb\"\n[domain]\ni0 = -1\n", "dir/job.toml"),
            ("version = \n", "dir/job.toml:1: version"),
            ("", "version"),
        ] {
            let [carried, parsed] = both(text).map(|job| job.err().map(|error| error.to_string()));
            assert_eq!(carried, parsed, "{text}");
            let error = carried.expect("an error");
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_job_with_errors_is_one() {
        let is = |text: &str| JobText::new(text.to_string(), Path::new("a.toml")).is_job();
        assert!(is("program.file = \"p.dpp\""));
        assert!(is("program = {\n"));
        assert!(!is("[package]\nname = \"ctm\"\n"));
        assert!(!is("name = \n"));
    }
}
