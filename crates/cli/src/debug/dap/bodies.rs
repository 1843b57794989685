//! The parts of the bodies of responses and events.

use super::requests::types;
use serde::Serialize;
use serde_json::Value;

/// A body with one list.
pub fn list<T: Serialize>(name: &str, parts: impl IntoIterator<Item = T>) -> anyhow::Result<Value> {
    let parts = parts.into_iter().map(serde_json::to_value).collect::<Result<Value, _>>()?;
    Ok(Value::from_iter([(name, parts)]))
}

types! { (Default, PartialEq, Serialize)
    Breakpoint {
        #[serde(skip_serializing_if = "Option::is_none")] id: Option<u32>, verified: bool;
        message: String, line: u32
    }
    Completion { label: String, start: usize, length: usize }
    Frame {
        id: usize, name: String, line: u32, column: u32;
        source: Source, instruction_pointer_reference: String
    }
    Instruction {
        address: String,
        #[serde(skip_serializing_if = "Option::is_none")] instruction_bytes: Option<String>,
        instruction: String;
        location: Source, line: u32, column: u32, symbol: String, presentation_hint: &'static str
    }
    Line { line: u32 }
    Scope { name: &'static str, variables_reference: usize, expensive: bool; presentation_hint: &'static str }
    Source { name: Option<String>; path: String, source_reference: usize }
    Stopped {
        reason: &'static str, thread_id: usize, all_threads_stopped: bool;
        description: String, text: String, hit_breakpoint_ids: Vec<u32>
    }
    Target { id: usize, label: String, line: u32 }
    Thread { id: usize, name: String }
    Variable {
        name: String, value: String,
        #[serde(skip_serializing_if = "Option::is_none")] evaluate_name: Option<String>,
        variables_reference: usize; indexed_variables: u64, memory_reference: String
    }
}
