//! Plans and documents as values. Their JSON is described at the beginning of `web/run.js`, which
//! executes them.

use crate::plan::commands::Command;
use crate::plan::dispatch::Kind;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::sync::Arc;

/// Plans with the bytes and texts that they share, each once.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Document {
    /// Bytes that plans name by number.
    pub contents: Kept<Bytes>,
    /// Texts of shaders, likewise.
    pub texts: Kept<Text>,
    /// The plans.
    pub plans: Vec<Plan>,
    /// The probe by which the page finds the guard level of its device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<Probe>,
}

/// Values, each once.
#[derive(Clone, Debug)]
pub struct Kept<T> {
    list: Vec<T>,
    known: HashMap<T, u32>,
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { list: Vec::new(), known: HashMap::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Kept<T> {
    /// The number of a value, which it gets if it is new.
    pub fn number(&mut self, value: impl Into<T>) -> u32 {
        let (value, next) = (value.into(), self.list.len() as u32);
        let number = *self.known.entry(value.clone()).or_insert(next);
        if number == next {
            self.list.push(value);
        }
        number
    }

    /// The value of a number.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.list.get(number as usize)
    }
}

impl<T: Serialize> Serialize for Kept<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.list.serialize(serializer)
    }
}

/// Bytes; base64 in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bytes(pub Arc<[u8]>);

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Bytes {
        Bytes(bytes.into())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

/// A text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text(pub Arc<str>);

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.into())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// A plan: what a device needs to do, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The engine: `interpreter`, `translated` or `probe`.
    pub engine: &'static str,
    /// The guard level that its texts are for.
    pub guards: String,
    /// Its shaders.
    pub shaders: Vec<Shader>,
    /// Its buffers.
    pub buffers: Vec<Buffer>,
    /// The steps, in order.
    pub steps: Vec<Command<u32>>,
    /// The buffer whose words are the result.
    pub read: u32,
    /// The number of launches.
    pub launches: u64,
    /// The number of those that run as translated programs.
    pub translated: u64,
}

/// A shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shader {
    /// The number of its text.
    pub text: u32,
    /// The name of its entry point.
    pub entry: &'static str,
    /// The number and type of each binding of group 0.
    pub bindings: Vec<(u32, Kind)>,
}

/// A buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Buffer {
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of the content that it begins with. The rest is zeros.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<u32>,
}

/// The probe by which a page finds its guard level: plans whose results are compared with those of
/// [`ctm_isa::float`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// The numbers of the plans, the cheapest level first.
    pub plans: Vec<u32>,
    /// The name of each function and the number of its operands.
    pub functions: Vec<(String, usize)>,
    /// The operands: four words for each tuple.
    pub operands: u32,
    /// The expected words: the first function's for all tuples, then the next one's.
    pub expected: u32,
}
