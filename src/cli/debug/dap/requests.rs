//! The arguments of requests. Attributes that are not listed are ignored.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Reads the arguments of a request.
///
/// # Errors
/// What is missing or of the wrong type.
pub fn arguments<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    let result = match value {
        Value::Null => T::deserialize(json!({})),
        value => T::deserialize(value),
    };
    result.map_err(|error| format!("arguments: {error}"))
}

fn one() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Initialize {
    #[serde(default = "one")]
    pub lines_start_at1: bool,
    #[serde(default = "one")]
    pub columns_start_at1: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Launch {
    /// The job file.
    pub program: PathBuf,
    /// Whether to stop before the first instruction.
    #[serde(default)]
    pub stop_on_entry: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    pub path: Option<PathBuf>,
    #[serde(default)]
    pub source_reference: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetBreakpoints {
    pub source: Source,
    #[serde(default)]
    pub breakpoints: Vec<SourceBreakpoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceBreakpoint {
    pub line: i64,
    #[serde(flatten)]
    pub when: When,
}

/// When a breakpoint stops.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct When {
    pub condition: Option<String>,
    pub hit_condition: Option<String>,
}

#[derive(Deserialize)]
pub struct Named<T> {
    pub breakpoints: Vec<T>,
}

#[derive(Deserialize)]
pub struct FunctionBreakpoint {
    pub name: String,
    #[serde(flatten)]
    pub when: When,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstructionBreakpoint {
    pub instruction_reference: String,
    #[serde(default)]
    pub offset: i64,
    #[serde(flatten)]
    pub when: When,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpoint {
    pub data_id: String,
    pub access_type: Option<String>,
    #[serde(flatten)]
    pub when: When,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionBreakpoints {
    pub filters: Vec<String>,
    #[serde(default)]
    pub filter_options: Vec<FilterOption>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilterOption {
    pub filter_id: String,
    pub condition: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpointInfo {
    #[serde(default)]
    pub variables_reference: i64,
    pub name: String,
}

#[derive(Deserialize)]
pub struct Lines {
    pub source: Source,
    pub line: i64,
    #[serde(rename = "endLine")]
    pub end_line: Option<i64>,
}

/// The arguments of requests that move.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    pub thread_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Goto {
    pub thread_id: i64,
    pub target_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTrace {
    pub thread_id: i64,
    #[serde(default)]
    pub start_frame: usize,
    #[serde(default)]
    pub levels: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    pub frame_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Variables {
    pub variables_reference: i64,
    /// "indexed" or "named"; all without it.
    pub filter: Option<String>,
    #[serde(default)]
    pub start: u64,
    /// 0: all.
    #[serde(default)]
    pub count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluate {
    pub expression: String,
    pub frame_id: Option<i64>,
    pub context: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disassemble {
    pub memory_reference: String,
    #[serde(default)]
    pub offset: i64,
    #[serde(default)]
    pub instruction_offset: i64,
    pub instruction_count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadMemory {
    pub memory_reference: String,
    #[serde(default)]
    pub offset: i64,
    pub count: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceText {
    pub source: Option<Source>,
    #[serde(default)]
    pub source_reference: i64,
}

#[derive(Deserialize)]
pub struct Completions {
    pub text: String,
    pub column: i64,
}
