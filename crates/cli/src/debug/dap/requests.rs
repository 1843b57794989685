//! The arguments of requests. Attributes that are not listed are ignored.

use anyhow::anyhow;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Reads the arguments of a request.
///
/// # Errors
/// An argument is missing or of the wrong type.
pub fn arguments<T: DeserializeOwned>(value: &Value) -> anyhow::Result<T> {
    let none = Map::new().into();
    let value = if value.is_null() { &none } else { value };
    T::deserialize(value).map_err(|error| anyhow!("arguments: {error}"))
}

fn one() -> bool {
    true
}

/// Makes types, whose attributes the protocol writes in camel case. Those after a semicolon may be left out.
macro_rules! types {
    ($traits:tt $($(#[$doc:meta])* $name:ident {
        $($(#[$meta:meta])* $field:ident: $type:ty),* $(; $($option:ident: $some:ty),*)?
    })*) => {$(
        $(#[$doc])*
        #[derive $traits]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$meta])* pub $field: $type,)*
            $($(#[serde(skip_serializing_if = "Option::is_none")] pub $option: Option<$some>,)*)?
        }
    )*};
}
pub(super) use types;

types! { (Deserialize)
    Initialize {
        #[serde(default = "one")] lines_start_at1: bool,
        #[serde(default = "one")] columns_start_at1: bool
    }
    /// The job file, and whether to stop before the first instruction.
    Launch { program: PathBuf, #[serde(default)] stop_on_entry: bool }
    Source { path: Option<PathBuf>, #[serde(default)] source_reference: i64 }
    SourceText { source: Option<Source>, #[serde(default)] source_reference: i64 }
    SetBreakpoints { source: Source, #[serde(default)] breakpoints: Vec<SourceBreakpoint> }
    SourceBreakpoint { line: i64, #[serde(flatten)] when: When }
    /// The conditions of a breakpoint.
    When { condition: Option<String>, hit_condition: Option<String> }
    FunctionBreakpoint { name: String, #[serde(flatten)] when: When }
    InstructionBreakpoint {
        instruction_reference: String,
        #[serde(default)] offset: i64,
        #[serde(flatten)] when: When
    }
    DataBreakpoint { data_id: String, access_type: Option<String>, #[serde(flatten)] when: When }
    ExceptionBreakpoints { filters: Vec<String>, #[serde(default)] filter_options: Vec<FilterOption> }
    FilterOption { filter_id: String, condition: Option<String> }
    DataBreakpointInfo { #[serde(default)] variables_reference: i64, name: String }
    Lines { source: Source, line: i64, end_line: Option<i64> }
    /// The arguments of requests that move.
    Thread { thread_id: i64 }
    Goto { thread_id: i64, target_id: i64 }
    StackTrace { thread_id: i64, #[serde(default)] start_frame: usize, #[serde(default)] levels: usize }
    Frame { frame_id: i64 }
    /// The filter is "indexed" or "named", or missing for all; a count of 0 means all.
    Variables {
        variables_reference: i64,
        filter: Option<String>,
        #[serde(default)] start: u64,
        #[serde(default)] count: u64
    }
    Evaluate { expression: String, frame_id: Option<i64>, context: Option<String> }
    Disassemble {
        memory_reference: String,
        #[serde(default)] offset: i64,
        #[serde(default)] instruction_offset: i64,
        instruction_count: u64
    }
    ReadMemory { memory_reference: String, #[serde(default)] offset: i64, count: u64 }
    Completions { text: String, column: i64 }
}

#[derive(Deserialize)]
pub struct Named<T> {
    pub breakpoints: Vec<T>,
}
