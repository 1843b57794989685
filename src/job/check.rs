//! Compares the result of a run with the job's expectations.

use super::error::{JobError, Problem};
use super::result::JobFault;
use super::surface::into_raster;
use super::{Expect, Job, JobResult, Subject};
use crate::array::compare::{ArrayComparison, Tolerance, compare};
use crate::array::npy;
use crate::engine::FaultCode;
use crate::files;
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
    pub comparison: Option<ArrayComparison>,
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
        let faults = result.job_faults(self);
        let mut checks = Vec::new();
        for expect in &self.expects {
            checks.push(match &expect.subject {
                Subject::Fault(code) => {
                    of_fault(*code, faults.iter().find(|fault| fault.code == *code), true)
                }
                Subject::Buffer { buffer, file, tolerance } => {
                    self.check_buffer(result, expect, *buffer, file, tolerance)?
                }
            });
        }
        let fault_expected = self.expects.iter().any(|e| matches!(e.subject, Subject::Fault(_)));
        if !fault_expected {
            checks.extend(faults.iter().map(|fault| of_fault(fault.code, Some(fault), false)));
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
        let error = |problem| self.error_at(&expect.location, "file", problem);
        let bytes = files::read(path, npy::MAX_FILE).map_err(|e| error(Problem::read(path, e)))?;
        let want = npy::parse(&bytes).map_err(|e| error(Problem::file(path, e)))?;
        let got = result.raster(buffer).map_err(|e| error(e.into()))?;
        let want = into_raster(want, (got.format, Some(got.width), Some(got.height)))
            .map_err(|e| error(Problem::file(path, e)))?;
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

/// The verdict on a fault that was, or was not, `expected`.
fn of_fault(code: FaultCode, found: Option<&JobFault>, expected: bool) -> CheckResult {
    let what = format!("fault {}", code.name());
    let text = match found {
        Some(fault) => fault.text(),
        None => format!("{what}: it did not occur"),
    };
    let passed = expected && found.is_some();
    CheckResult { what, passed, worst: None, comparison: None, text }
}
