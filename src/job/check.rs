//! Compares the result of a run with the job's expectations.

use super::error::{JobError, Problem};
use super::surface::into_raster;
use super::{Expect, Job, JobResult, Subject};
use crate::array::compare::{Comparison, Tolerance, compare};
use crate::array::{file, npy};
use std::path::Path;

/// The verdict on one expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// The subject, such as "output 0" or "fault budget".
    pub what: String,
    /// Whether the result is as expected.
    pub passed: bool,
    /// Largest error; `None` if no values were compared.
    pub worst: Option<f64>,
    /// The comparison, if values were compared.
    pub comparison: Option<Comparison>,
    /// One human-readable line.
    pub text: String,
}

impl Job {
    /// Compares a result with all expectations. Faults that occurred add one more, failed, entry
    /// unless the job expects a fault.
    ///
    /// # Errors
    /// If an expected array cannot be read or does not have the shape of its buffer.
    pub fn check(&self, result: &JobResult) -> Result<Vec<CheckResult>, JobError> {
        let mut checks = Vec::new();
        for expect in &self.expects {
            checks.push(match &expect.subject {
                Subject::Fault(code) => {
                    let what = format!("fault {}", code.name());
                    let found = result.faults.get(*code);
                    CheckResult {
                        passed: found.is_some(),
                        worst: None,
                        comparison: None,
                        text: match found {
                            Some(fault) => fault.text(*code),
                            None => format!("{what}: it did not occur"),
                        },
                        what,
                    }
                }
                Subject::Buffer { buffer, file, tolerance } => {
                    self.check_buffer(result, expect, *buffer, file, tolerance)?
                }
            });
        }
        let fault_expected = self.expects.iter().any(|e| matches!(e.subject, Subject::Fault(_)));
        if !fault_expected {
            for (code, fault) in result.faults.iter() {
                checks.push(CheckResult {
                    what: format!("fault {}", code.name()),
                    passed: false,
                    worst: None,
                    comparison: None,
                    text: fault.text(code),
                });
            }
        }
        Ok(checks)
    }

    fn check_buffer(
        &self,
        result: &JobResult,
        expect: &Expect,
        buffer: usize,
        path: &Path,
        tolerance: &Tolerance,
    ) -> Result<CheckResult, JobError> {
        let error = |problem| self.error_at(&expect.place, "file", problem);
        let bytes = file::read(path, npy::MAX_FILE)
            .map_err(|e| error(Problem::Read { path: path.to_path_buf(), error: e.to_string() }))?;
        let want = npy::parse(&bytes)
            .map_err(|e| error(Problem::Npy { path: path.to_path_buf(), error: e }))?;
        let got = result.raster(buffer).map_err(|e| error(e.into()))?;
        let size = (Some(got.width), Some(got.height));
        let want = into_raster(want, got.format, size.0, size.1)
            .map_err(|e| error(Problem::Array { path: path.to_path_buf(), error: e }))?;
        let what = match self.buffers[buffer].role {
            super::Role::Named => format!("buffer {}", self.buffers[buffer].name),
            _ => self.buffers[buffer].name.clone(),
        };
        let comparison = compare(&got.into_array(), &want.into_array(), tolerance)
            .map_err(|e| error(Problem::Other(e.to_string())))?;
        Ok(CheckResult {
            text: format!("{what}: {comparison}"),
            what,
            passed: comparison.passed,
            worst: Some(comparison.worst),
            comparison: Some(comparison),
        })
    }
}
