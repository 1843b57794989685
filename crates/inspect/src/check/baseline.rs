//! Findings that are known: a file that says how many of each there are.
//!
//! A finding is known by its program's file, its code and its statement, not by its line, so lines
//! may move. Of equal ones the file has the number.

use super::finding::Finding;
use super::report::{FileReport, statement};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// The fields by which a finding is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// The program's file; in a baseline its path from there, so that it does not matter from where
    /// and how the file is named.
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

/// The path of a file as seen from a folder. Both are as the user wrote them.
fn seen_from(folder: &Path, file: &str) -> String {
    let parts = |path: &Path| {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let mut parts: Vec<String> = Vec::new();
        for part in whole.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => _ = parts.pop(),
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                    parts.push(part.as_os_str().to_string_lossy().into_owned());
                }
            }
        }
        parts
    };
    let (folder, file) = (parts(folder), parts(Path::new(file)));
    let same = folder.iter().zip(&file).take_while(|(a, b)| a == b).count();
    let up = folder[same..].iter().map(|_| "..");
    up.chain(file[same..].iter().map(String::as_str)).collect::<Vec<_>>().join("/")
}

/// Known findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// The folder of the file.
    folder: PathBuf,
    known: BTreeMap<Fingerprint, u64>,
}

/// An entry of the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    fingerprint: Fingerprint,
    count: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    known: Vec<Entry>,
}

/// The version of the file's format.
const VERSION: u32 = 1;

impl Baseline {
    /// All findings of some files, for a baseline in this folder.
    pub fn of(files: &[FileReport], folder: &Path) -> Baseline {
        let mut baseline = Baseline { folder: folder.to_path_buf(), ..Baseline::default() };
        for file in files {
            for (_, finding) in &file.findings {
                *baseline.known.entry(baseline.fingerprint(file, finding)).or_default() += 1;
            }
        }
        baseline
    }

    fn fingerprint(&self, file: &FileReport, finding: &Finding) -> Fingerprint {
        let found = fingerprint(file, finding);
        Fingerprint { program: seen_from(&self.folder, &found.program), ..found }
    }

    /// Reads the text of a file in this folder.
    ///
    /// # Errors
    /// The text is not such a file.
    pub fn read(text: &str, folder: &Path) -> Result<Baseline, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.version != VERSION {
            return Err(format!("version is {}, expected {VERSION}", file.version));
        }
        let known = file.known.into_iter().map(|entry| (entry.fingerprint, entry.count));
        Ok(Baseline { folder: folder.to_path_buf(), known: known.collect() })
    }

    /// The text of a file.
    pub fn write(&self) -> String {
        let known = self
            .known
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
            let key = self.fingerprint(file, &found.1);
            let known = self.known.get_mut(&key).filter(|count| **count > 0);
            match known {
                Some(count) => *count -= 1,
                None => file.findings.push(found),
            }
        }
        count - file.findings.len()
    }
}
