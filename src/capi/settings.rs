//! How a device is opened: by the caller, else by the environment, else by default.

use std::sync::Arc;

use super::error::CallError;
use crate::device::DeviceConfig;
use crate::engine::Engine;
use crate::engine::block::Block;
use crate::engine::reference::Reference;
use crate::launch::{FloatMode, Limits};
use crate::memory::ArenaSizes;

/// The names of the engines; `auto`, the first, is the best one for this machine.
pub const ENGINES: [&str; 3] = ["auto", "reference", "block"];

/// The engine with a name, on an adapter if it runs on one. `None`: there is no such engine, or it
/// takes no adapter.
pub fn engine(name: &str, adapter: Option<&str>) -> Option<Arc<dyn Engine>> {
    match (name, adapter) {
        ("reference", None) => Some(Arc::new(Reference::new())),
        ("auto" | "block", None) => Some(Arc::new(Block::new())),
        _ => None,
    }
}

/// Everything that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub engine: String,
    pub adapter: Option<String>,
    pub mode: FloatMode,
    pub arenas: ArenaSizes,
    pub statistics: bool,
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            engine: ENGINES[0].to_string(),
            adapter: None,
            mode: FloatMode::Exact,
            arenas: ArenaSizes::default(),
            statistics: false,
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// The settings that the environment asks for: `CTM_ENGINE`, `CTM_ADAPTER`, `CTM_FLOAT`,
    /// `CTM_STATISTICS`, and `CTM_ARENA_GPU`, `_GPUB`, `_SYS`, `_SYSC` in bytes or with K or M.
    pub(super) fn from_environment() -> Result<Settings, CallError> {
        Settings::from_variables(|name| {
            let value = std::env::var_os(name)?;
            Some(value.to_string_lossy().into_owned())
        })
    }

    fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Settings, CallError> {
        let mut settings = Settings::default();
        let get = |name| get(name).filter(|value| !value.is_empty());
        if let Some(name) = get("CTM_ENGINE") {
            settings.set_engine("CTM_ENGINE", &name)?;
        }
        settings.adapter = get("CTM_ADAPTER");
        if let Some(value) = get("CTM_FLOAT") {
            settings.mode = [FloatMode::Exact, FloatMode::Fast]
                .into_iter()
                .find(|mode| mode.name() == value)
                .ok_or_else(|| bad("CTM_FLOAT", &value, "exact or fast"))?;
        }
        if let Some(value) = get("CTM_STATISTICS") {
            settings.statistics = match value.as_str() {
                "0" => false,
                "1" => true,
                _ => return Err(bad("CTM_STATISTICS", &value, "0 or 1")),
            };
        }
        let arenas = &mut settings.arenas;
        for (name, size) in [
            ("CTM_ARENA_GPU", &mut arenas.gpu),
            ("CTM_ARENA_GPUB", &mut arenas.gpub),
            ("CTM_ARENA_SYS", &mut arenas.sys),
            ("CTM_ARENA_SYSC", &mut arenas.sysc),
        ] {
            if let Some(value) = get(name) {
                *size = bytes(&value).ok_or_else(|| {
                    bad(
                        name,
                        &value,
                        "a number of bytes below 4G, or one with K or M",
                    )
                })?;
            }
        }
        Ok(settings)
    }

    /// Chooses an engine by name; `source` is who asks.
    pub(super) fn set_engine(&mut self, source: &'static str, name: &str) -> Result<(), CallError> {
        if !ENGINES.contains(&name) {
            return Err(bad(source, name, &one_of(&ENGINES)));
        }
        self.engine = name.to_string();
        Ok(())
    }

    /// The device that they describe, with system memory that the client shares.
    pub(super) fn device(&self) -> Result<DeviceConfig, CallError> {
        let engine = engine(&self.engine, self.adapter.as_deref()).ok_or_else(|| {
            let adapter = self.adapter.as_deref().unwrap_or_default();
            let expected = format!("none: engine {} runs on the host's CPU", self.engine);
            bad("adapter", adapter, &expected)
        })?;
        Ok(DeviceConfig {
            arenas: self.arenas,
            mode: self.mode,
            statistics: self.statistics,
            limits: self.limits,
            client_memory: true,
            ..DeviceConfig::new(engine)
        })
    }
}

fn bad(name: &'static str, value: &str, expected: &str) -> CallError {
    CallError::Setting {
        name,
        value: value.to_string(),
        expected: expected.to_string(),
    }
}

fn one_of(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// A size: digits, then nothing, K or M. The device interface tells sizes in 32 bits.
fn bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 10),
        None => match text.strip_suffix(['m', 'M']) {
            Some(digits) => (digits, 20),
            None => (text, 0),
        },
    };
    let number: u64 = digits.parse().ok()?;
    let size = number.checked_mul(1 << shift)?;
    (size <= u64::from(u32::MAX) && digits.starts_with(|c: char| c.is_ascii_digit()))
        .then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::from_variables(|name| {
            let found = pairs.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| value.to_string())
        })
        .map_err(|error| error.to_string())
    }

    #[test]
    fn the_environment_chooses() {
        assert_eq!(from(&[]), Ok(Settings::default()));
        assert_eq!(from(&[("CTM_ENGINE", "")]), Ok(Settings::default()));
        let settings = from(&[
            ("CTM_ENGINE", "reference"),
            ("CTM_FLOAT", "fast"),
            ("CTM_STATISTICS", "1"),
            ("CTM_ARENA_GPU", "4096K"),
            ("CTM_ARENA_GPUB", "2m"),
            ("CTM_ARENA_SYS", "0"),
            ("CTM_ARENA_SYSC", "65536"),
        ])
        .expect("all good");
        assert_eq!(settings.engine, "reference");
        assert_eq!(
            (settings.mode, settings.statistics),
            (FloatMode::Fast, true)
        );
        assert_eq!(
            settings.arenas,
            ArenaSizes {
                gpu: 4 << 20,
                gpub: 2 << 20,
                sys: 0,
                sysc: 1 << 16
            }
        );
        let device = settings.device().expect("it exists");
        assert_eq!(device.engine.name(), "reference");
        assert!(device.client_memory);
    }

    #[test]
    fn bad_values_are_named() {
        for (name, value, error) in [
            (
                "CTM_ENGINE",
                "Block",
                "CTM_ENGINE is \"Block\", expected auto, reference or block",
            ),
            (
                "CTM_FLOAT",
                "x",
                "CTM_FLOAT is \"x\", expected exact or fast",
            ),
            (
                "CTM_STATISTICS",
                "yes",
                "CTM_STATISTICS is \"yes\", expected 0 or 1",
            ),
            (
                "CTM_ARENA_GPU",
                "4096M",
                "CTM_ARENA_GPU is \"4096M\", expected a number of bytes below 4G, or one with K or M",
            ),
            (
                "CTM_ARENA_SYSC",
                "+1",
                "CTM_ARENA_SYSC is \"+1\", expected a number of bytes below 4G, or one with K or M",
            ),
        ] {
            assert_eq!(from(&[(name, value)]), Err(error.to_string()));
        }
        let settings = from(&[("CTM_ADAPTER", "1")]).expect("not checked yet");
        let error = settings.device().err().expect("no adapter on the CPU");
        assert_eq!(
            error.to_string(),
            "adapter is \"1\", expected none: engine auto runs on the host's CPU"
        );
    }

    #[test]
    fn every_name_is_an_engine() {
        for name in ENGINES {
            assert!(engine(name, None).is_some(), "{name}");
        }
        assert!(engine("Block", None).is_none());
    }
}
