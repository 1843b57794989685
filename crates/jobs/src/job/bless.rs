//! Expectations made from a result.

use super::error::{JobError, in_file, unreadable};
use super::write::{Text, is_plain, quoted};
use super::{Buffer, Job, JobResult, Pictures, Results, Role, SharedFiles, Subject};
use crate::array::{Array, npy};
use ctm_base::files;
use ctm_base::stop::Stop;
use ctm_machine::launch::FloatMode;
use std::io;
use std::path::{Path, PathBuf};

/// The files to write so that a job expects a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blessing {
    /// The arrays that differ from the result or are missing.
    pub arrays: Vec<(PathBuf, Array)>,
    /// The arrays that already agree.
    pub kept: Vec<PathBuf>,
    /// The new text of the job file, if the job had no expectations.
    pub text: Option<String>,
}

impl Job {
    /// The files to write so that the job expects the arrays of a result. A job without `[[expect]]` gets one for each output of
    /// the short form, and for each buffer of the long form and the global registers if they are saved: equal in all bits in mode
    /// `exact`, nearly equal in mode `fast`. Faults are not looked at: no expectation of them is changed or added.
    ///
    /// # Errors
    /// If there is nothing to expect, a new array's file exists with other contents, or the job file
    /// cannot take more entries, or reading it again was [stopped](JobError::stopped).
    pub fn blessing(
        &self,
        result: &JobResult,
        shared: &SharedFiles,
        stop: &Stop,
    ) -> Result<Blessing, JobError> {
        let mut blessing = Blessing::default();
        if self.expects.is_empty() {
            return self.first_blessing(result, shared, stop);
        }
        for expect in &self.expects {
            let Subject::Array { of, file, mask, tolerance } = &expect.subject else {
                continue;
            };
            let fail = |problem: String| self.error_at(&expect.location, "file", problem);
            // An array of another shape is replaced too, but no other file.
            let compared =
                self.check_array(result, expect, *of, (file, mask.as_deref()), tolerance, shared);
            if compared.is_ok_and(|check| check.passed) {
                blessing.kept.push(file.clone());
                continue;
            }
            if !is_missing_or_array(file).map_err(|e| fail(unreadable(file, &e)))? {
                return Err(fail(in_file(file, "it is no .npy array, so it is not replaced")));
            }
            let array = result.array(*of).map_err(|e| fail(e.to_string()))?;
            blessing.arrays.push((file.clone(), array));
        }
        Ok(blessing)
    }

    fn first_blessing(
        &self,
        result: &JobResult,
        shared: &SharedFiles,
        stop: &Stop,
    ) -> Result<Blessing, JobError> {
        let fail = |problem: String| JobError::of_file(&self.file, problem);
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        let folder = self.file.parent().unwrap_or("".as_ref());
        let bits = result.mode != FloatMode::Fast;
        let mut blessing = Blessing::default();
        let mut text = Text(Job::text(&self.file, shared)?);
        let buffers = self.buffers.iter().enumerate();
        let buffers = buffers.filter_map(|(n, b)| Some((Results::Buffer(n), subject(n, b)?)));
        let registers = self.sharing.as_ref().filter(|sharing| sharing.save.is_some());
        let registers =
            registers.map(|_| (Results::Shared, ("shared", "true".into(), "shared".into())));
        for (of, (key, value, name)) in buffers.chain(registers) {
            let name = format!("{stem}.{name}.npy");
            let path = folder.join(&name);
            let array = result.array(of).map_err(|e| fail(e.to_string()))?;
            text.expect((key, &value), &name, bits);
            if !path.exists() {
                blessing.arrays.push((path, array));
                continue;
            }
            // An earlier blessing was interrupted before the job file was written.
            let bytes = files::read(&path, npy::MAX_FILE).ok();
            if bytes.and_then(|bytes| npy::parse(&bytes).ok()) != Some(array) {
                let error = "it exists and does not hold the result; remove it, or write an \
                             [[expect]] that names it";
                return Err(fail(in_file(&path, error)));
            }
            blessing.kept.push(path);
        }
        if blessing.arrays.is_empty() && blessing.kept.is_empty() {
            let needed =
                "nothing to expect: the job has no output, and no buffer with `save` or `image`";
            return Err(fail(needed.into()));
        }
        // A file with `expect = []`, for example, takes no more tables of that name.
        Job::parse_shared(&text.0, &self.file, shared, stop).map_err(|error| {
            match error.stopped() {
                Some(_) => error,
                None => fail(format!("no [[expect]] can be added at the end: {}", error.problem)),
            }
        })?;
        blessing.text = Some(text.0);
        Ok(blessing)
    }
}

fn is_missing_or_array(path: &Path) -> io::Result<bool> {
    match files::read(path, npy::MAX_FILE) {
        Ok(bytes) => Ok(npy::is_npy(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// The subject of a buffer's new expectation, a key with its value, and the part of its array's file name;
/// `None` if the buffer is no result.
fn subject(n: usize, buffer: &Buffer) -> Option<(&'static str, String, String)> {
    let is_saved = buffer.save.is_some() || buffer.pictures != Pictures::default();
    match buffer.role {
        Role::Input(_) => None,
        Role::Output(slot) => Some(("output", slot.to_string(), format!("output{slot}"))),
        Role::Condition => is_saved.then(|| ("condition", "true".into(), "condition".into())),
        Role::Named => is_saved.then(|| {
            let name = &buffer.name;
            let file = if is_plain(name) { name.clone() } else { format!("buffer{n}") };
            ("buffer", quoted(name), file)
        }),
    }
}
