//! Reports: what pages found on the GPUs of their visitors. `web/witness.js` writes them.

use serde::{Deserialize, Serialize};

/// The first field of a report, and the version of its fields.
pub const FORMAT: &str = "ctm witness 1";

/// Errors of reading a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// It is not JSON, or lacks a field.
    #[error("not a report of an exported page")]
    Json(#[from] serde_json::Error),
    /// It has another format.
    #[error("the format is {0:?}, expected {FORMAT:?}")]
    Format(String),
    /// A run says that all words are the same, and yet where they differ or why it failed.
    #[error("runs[{0}]: `same` is true beside `difference` or `error`")]
    Contradicts(usize),
}

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: String,
    /// The version of ctm that made the page.
    pub version: String,
    /// The job.
    pub job: String,
    /// The browser's name for itself.
    pub browser: String,
    /// The adapter; `None` if the browser has none.
    pub adapter: Option<Adapter>,
    /// Its limits, by WebGPU's names.
    pub limits: Option<serde_json::Map<String, serde_json::Value>>,
    /// The probe of its arithmetic; `None` if it did not run.
    pub probe: Option<Probe>,
    /// The runs.
    pub runs: Vec<Run>,
    /// Engines without a plan.
    pub refused: Vec<Refused>,
    /// The error, if nothing ran.
    pub error: Option<String>,
}

/// The browser's description of an adapter; all may be empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adapter {
    /// Its vendor.
    pub vendor: String,
    /// Its family.
    pub architecture: String,
    /// The device.
    pub device: String,
    /// A description.
    pub description: String,
}

impl Adapter {
    /// Its name: all that is known.
    pub fn name(&self) -> String {
        let parts = [&self.vendor, &self.architecture, &self.device, &self.description];
        let parts: Vec<&str> = parts.into_iter().map(|part| part.trim()).collect();
        let known: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        known.join(" ")
    }
}

/// The result of the probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The guard level; `None` if none gives the exact bits.
    pub guards: Option<String>,
    /// The number of results that are the same at that level.
    pub passed: u64,
    /// The first wrong result of each level before it.
    pub rejected: Vec<Rejected>,
}

/// A wrong result of the probe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// The guard level.
    pub guards: String,
    /// The function.
    pub function: String,
    /// Its operands.
    pub operands: Vec<u32>,
    /// The result.
    pub got: u32,
    /// The exact result.
    pub expected: u32,
}

/// A run of one engine's plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The engine.
    pub engine: String,
    /// The guard level.
    pub guards: String,
    /// The number of launches.
    pub launches: u64,
    /// The number of those that ran as translated programs.
    pub translated: u64,
    /// The number of words that were compared.
    pub words: u64,
    /// Whether all are the same.
    pub same: bool,
    /// Milliseconds to compile its shaders.
    pub compile_ms: Option<f64>,
    /// Milliseconds to run.
    pub run_ms: Option<f64>,
    /// The part of them that the GPU worked, by its own clock, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_ms: Option<f64>,
    /// The first word that differs.
    pub difference: Option<Difference>,
    /// The error that ended the run early.
    pub error: Option<String>,
}

/// A word that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Its number in memory.
    pub word: u64,
    /// The word that the block engine gives.
    pub expected: u32,
    /// The word of the GPU.
    pub got: u32,
    /// The surface, if it is in one.
    pub surface: Option<String>,
    /// The column there.
    pub x: Option<u32>,
    /// The row there.
    pub y: Option<u32>,
    /// The elements of surfaces of the same size there, before the job.
    #[serde(default)]
    pub operands: Vec<Operand>,
}

/// An element of a surface before the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// The surface.
    pub surface: String,
    /// The units of its channels, in hexadecimal.
    pub units: Vec<String>,
}

/// An engine without a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The engine.
    pub engine: String,
    /// The reason why it has no plan.
    pub reason: String,
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// [`ReportError`].
    pub fn read(text: &[u8]) -> Result<Report, ReportError> {
        /// The field that all versions have.
        #[derive(Deserialize)]
        struct Any {
            format: String,
        }
        let Any { format } = serde_json::from_slice(text)?;
        if format != FORMAT {
            return Err(ReportError::Format(format));
        }
        let report: Report = serde_json::from_slice(text)?;
        let wrong = |run: &Run| run.same && (run.difference.is_some() || run.error.is_some());
        match report.runs.iter().position(wrong) {
            Some(n) => Err(ReportError::Contradicts(n)),
            None => Ok(report),
        }
    }

    /// Whether something ran, and all words of all runs are the same.
    pub fn agrees(&self) -> bool {
        self.error.is_none() && !self.runs.is_empty() && self.runs.iter().all(|run| run.same)
    }
}

impl Run {
    /// The verdict in words.
    pub fn verdict(&self) -> String {
        if self.same {
            return "the same".to_string();
        }
        if let Some(Difference { word, expected, got, surface, x, y, .. }) = &self.difference {
            let place = match (surface, x, y) {
                (Some(surface), Some(x), Some(y)) => format!("{surface}, x {x}, y {y}"),
                _ => format!("word {word}"),
            };
            return format!("differs at {place}: 0x{got:08x}, expected 0x{expected:08x}");
        }
        format!("did not run: {}", self.error.as_deref().unwrap_or("no reason given"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn report() -> Value {
        json!({
            "format": FORMAT, "version": "0.1.0", "job": "a.toml", "browser": "B",
            "adapter": { "vendor": "v", "architecture": "", "device": "", "description": "d" },
            "limits": { "maxBufferSize": 7 },
            "probe": { "guards": "1", "passed": 9, "rejected": [
                { "guards": "0", "function": "add", "operands": [1, 2], "got": 3, "expected": 4 },
            ] },
            "runs": [
                { "engine": "interpreter", "guards": "1", "launches": 1, "translated": 0, "words": 64, "same": true,
                  "compile_ms": 1.5, "run_ms": 2 },
                { "engine": "translated", "guards": "1", "launches": 1, "translated": 1, "words": 64, "same": false,
                  "difference": { "word": 5, "expected": 1, "got": 2, "surface": "s", "x": 1, "y": 0 } },
            ],
            "refused": [], "error": null,
        })
    }

    /// An error with its cause.
    fn text(error: ReportError) -> String {
        match std::error::Error::source(&error) {
            Some(cause) => format!("{error}, {cause}"),
            None => error.to_string(),
        }
    }

    fn read(value: &Value) -> Result<Report, String> {
        Report::read(value.to_string().as_bytes()).map_err(text)
    }

    #[test]
    fn a_report_is_read_and_written() {
        let report = read(&report()).expect("a report");
        assert_eq!(report.adapter.as_ref().map(Adapter::name), Some("v d".to_string()));
        assert_eq!(report.runs[0].verdict(), "the same");
        let differs = "differs at s, x 1, y 0: 0x00000002, expected 0x00000001";
        assert_eq!(report.runs[1].verdict(), differs);
        assert!(!report.agrees());
        let again = serde_json::to_value(&report).expect("JSON");
        assert_eq!(read(&again), Ok(report));
    }

    #[test]
    fn what_is_no_report_is_refused() {
        let of = |change: &dyn Fn(&mut Value)| {
            let mut value = report();
            change(&mut value);
            read(&value).err().unwrap_or_default()
        };
        assert_eq!(of(&|_| ()), "");
        let other = of(&|value| value["format"] = "ctm witness 9".into());
        assert_eq!(other, "the format is \"ctm witness 9\", expected \"ctm witness 1\"");
        let contradicts = of(&|value| value["runs"][0]["error"] = "it failed".into());
        assert_eq!(contradicts, "runs[0]: `same` is true beside `difference` or `error`");
        let missing =
            of(&|value| drop(value["runs"][1].as_object_mut().map(|run| run.remove("words"))));
        assert!(
            missing.starts_with("not a report of an exported page, missing field `words`"),
            "{missing}"
        );
        let empty = Report::read(b"").err().map(text).unwrap_or_default();
        assert!(empty.starts_with("not a report of an exported page, EOF"), "{empty}");
    }
}
