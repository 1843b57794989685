//! Compares the result of a run with the job's expectations.

use super::error::{JobError, in_file, unreadable};
use super::result::JobFault;
use super::surface::into_raster;
use super::{Expect, Job, JobResult, Results, SharedFiles, Subject, sharing};
use crate::array::compare::{ArrayComparison, Tolerance, compare_where};
use crate::array::{Array, Dtype, Raster, WrongArray, npy};
use ctm_base::panics;
use ctm_machine::engine::FaultCode;
use ctm_machine::memory::Surface;
use std::path::{Path, PathBuf};

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
    /// Compares a result with all expectations: those of arrays, then those of faults.
    ///
    /// # Errors
    /// If an expected array cannot be read or does not have the shape of its buffer.
    pub fn check(&self, result: &JobResult) -> Result<Vec<CheckResult>, JobError> {
        self.check_with(result, &SharedFiles::new())
    }

    /// As [`Job::check`], with expected arrays from `files`.
    ///
    /// # Errors
    /// As [`Job::check`].
    pub fn check_with(
        &self,
        result: &JobResult,
        files: &SharedFiles,
    ) -> Result<Vec<CheckResult>, JobError> {
        panics::point("check", || self.file.display().to_string());
        let mut checks = Vec::new();
        for expect in &self.expects {
            if let Subject::Array { of, file, mask, tolerance } = &expect.subject {
                let paths = (file.as_path(), mask.as_deref());
                checks.push(self.check_array(result, expect, *of, paths, tolerance, files)?);
            }
        }
        checks.extend(self.check_faults(result));
        Ok(checks)
    }

    /// The buffers that have an expected array, with the array.
    ///
    /// # Errors
    /// As [`Job::check`].
    pub fn expected_rasters(
        &self,
        result: &JobResult,
        files: &SharedFiles,
    ) -> Result<Vec<(usize, Raster)>, JobError> {
        let arrays = self.expects.iter().filter_map(|expect| match &expect.subject {
            Subject::Array { of: Results::Buffer(buffer), file, .. } => {
                Some((*buffer, file, expect))
            }
            Subject::Array { of: Results::Shared, .. } | Subject::Fault(_) => None,
        });
        let raster = |(buffer, path, expect): (usize, &PathBuf, &Expect)| {
            let error = |problem| self.error_at(&expect.location, "file", problem);
            let want = read(path, files).map_err(error)?;
            let raster = expected_raster(result, buffer, want);
            raster.map(|raster| (buffer, raster)).map_err(|e| error(in_file(path, e)))
        };
        arrays.map(raster).collect()
    }

    /// Compares the faults of a result with those that the job expects. Without such an expectation
    /// each fault that occurred is a failed entry.
    pub fn check_faults(&self, result: &JobResult) -> Vec<CheckResult> {
        let faults = result.job_faults(self);
        let expected = self.expects.iter().filter_map(|expect| match expect.subject {
            Subject::Fault(code) => Some(code),
            Subject::Array { .. } => None,
        });
        let find = |code| faults.iter().find(|fault| fault.code == code);
        let checks: Vec<_> = expected.map(|code| of_fault(code, find(code), true)).collect();
        if checks.is_empty() {
            faults.iter().map(|fault| of_fault(fault.code, Some(fault), false)).collect()
        } else {
            checks
        }
    }

    pub(super) fn check_array(
        &self,
        result: &JobResult,
        expect: &Expect,
        of: Results,
        (path, mask): (&Path, Option<&Path>),
        tolerance: &Tolerance,
        files: &SharedFiles,
    ) -> Result<CheckResult, JobError> {
        let error = |problem| self.error_at(&expect.location, "file", problem);
        let want = read(path, files).map_err(error)?;
        let want = self.expected(result, of, want).map_err(|e| error(in_file(path, e)))?;
        let got = result.array(of).map_err(|e| error(e.to_string()))?;
        let what = match of {
            Results::Shared => "shared".to_string(),
            Results::Buffer(buffer) => match self.buffers[buffer].role {
                super::Role::Named => format!("buffer {}", self.buffers[buffer].name),
                _ => self.buffers[buffer].name.clone(),
            },
        };
        let mask = mask.map(|path| self.mask(expect, path, &got, files)).transpose()?;
        let channels = got.shape.get(2).copied().unwrap_or(1).max(1);
        let counts = |at: usize| mask.as_ref().is_none_or(|mask| mask[at / channels] != 0);
        let comparison =
            compare_where(&got, &want, tolerance, counts).map_err(|e| error(e.to_string()))?;
        Ok(CheckResult {
            text: format!("{what}: {comparison}"),
            what,
            passed: comparison.passed,
            worst: Some(comparison.worst),
            comparison: Some(comparison),
        })
    }

    /// The points of a result that count: not 0.
    fn mask(
        &self,
        expect: &Expect,
        path: &Path,
        got: &Array,
        files: &SharedFiles,
    ) -> Result<Vec<u32>, JobError> {
        let error = |problem| self.error_at(&expect.location, "mask", problem);
        let mask = read(path, files).map_err(error)?;
        if mask.dtype == Dtype::Uint8 && mask.shape[..] == got.shape[..2] {
            return Ok(mask.units);
        }
        let [height, width] = [got.shape[0], got.shape[1]];
        let wrong = WrongArray {
            found: mask.describe(),
            needed: format!("bool or uint8 ({height}, {width})"),
        };
        Err(error(in_file(path, wrong)))
    }

    /// An expected array in the shape of a result.
    fn expected(&self, result: &JobResult, of: Results, want: Array) -> Result<Array, WrongArray> {
        match (of, &result.shared) {
            (Results::Buffer(buffer), _) => Ok(expected_raster(result, buffer, want)?.into_array()),
            (Results::Shared, Some(registers)) => sharing::check_array(want, registers),
            (Results::Shared, None) => Ok(want),
        }
    }
}

/// An expected array as the contents of a buffer.
fn expected_raster(result: &JobResult, buffer: usize, want: Array) -> Result<Raster, WrongArray> {
    let Surface { format, width, height, .. } = result.surfaces[buffer];
    into_raster(want, (format, Some(width), Some(height)))
}

/// The array in a file.
fn read(path: &Path, files: &SharedFiles) -> Result<Array, String> {
    let bytes = files.read(path, npy::MAX_FILE).map_err(|error| unreadable(path, &error))?;
    npy::parse(&bytes).map_err(|error| in_file(path, error))
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
