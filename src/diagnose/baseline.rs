//! Findings that are known: a file that says how many of each there are.
//!
//! A finding is known by its program's file, its code and its statement, not by its line, so lines
//! may move. Of equal ones the file has the number.

use super::finding::Finding;
use super::report::{FileReport, statement};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What makes a finding known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// The program's file.
    pub program: String,
    /// The code.
    pub code: String,
    /// The statement; for a finding about the whole program, its subject.
    pub statement: String,
}

/// `missing-nop: add r1, r0, r0`; a reader of SARIF files has the file's name apart.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.statement)
    }
}

/// The fingerprint of a finding in a file.
pub fn fingerprint(file: &FileReport, finding: &Finding) -> Fingerprint {
    Fingerprint {
        program: file.name_of(finding).to_string(),
        code: finding.code.name().into(),
        statement: match file.program_of(finding).zip(finding.pc) {
            Some((named, pc)) => statement(&named.program, pc),
            None => finding.subject.clone(),
        },
    }
}

/// Known findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(BTreeMap<Fingerprint, u64>);

/// An entry of the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    fingerprint: Fingerprint,
    count: u64,
}

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    known: Vec<Entry>,
}

/// The version of the file's format.
const VERSION: u32 = 1;

impl Baseline {
    /// All findings of some files.
    pub fn of(files: &[FileReport]) -> Baseline {
        let mut baseline = Baseline::default();
        for file in files {
            for (_, finding) in &file.findings {
                *baseline.0.entry(fingerprint(file, finding)).or_default() += 1;
            }
        }
        baseline
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// The text is not such a file.
    pub fn read(text: &str) -> Result<Baseline, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.version != VERSION {
            return Err(format!("version is {}, expected {VERSION}", file.version));
        }
        let known = file.known.into_iter().map(|entry| (entry.fingerprint, entry.count));
        Ok(Baseline(known.collect()))
    }

    /// The text of a file.
    pub fn write(&self) -> String {
        let known = self
            .0
            .iter()
            .map(|(fingerprint, &count)| Entry { fingerprint: fingerprint.clone(), count });
        let file = File { version: VERSION, known: known.collect() };
        // Strings and numbers: this cannot fail.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Takes known findings out of a report. Each entry covers as many findings as it counts, in all
    /// files together. Returns how many were known.
    pub fn remove_from(&mut self, file: &mut FileReport) -> usize {
        let all = std::mem::take(&mut file.findings);
        let count = all.len();
        for found in all {
            let known = self.0.get_mut(&fingerprint(file, &found.1)).filter(|count| **count > 0);
            match known {
                Some(count) => *count -= 1,
                None => file.findings.push(found),
            }
        }
        count - file.findings.len()
    }
}
