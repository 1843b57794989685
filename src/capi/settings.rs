//! The settings of a device: from the caller, else from the environment, else defaults.

use super::error::{self, CallError};
use super::recordings;
use crate::device::DeviceConfig;
use crate::engine;
use crate::launch::{FloatMode, Limits};
use crate::memory::ArenaSizes;
use std::path::PathBuf;

pub use crate::engine::{EngineError, NAMES as ENGINES};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub engine: String,
    pub adapter: Option<String>,
    pub mode: FloatMode,
    pub arenas: ArenaSizes,
    pub statistics: bool,
    pub coherence: bool,
    pub limits: Limits,
    /// The file that the device is recorded in.
    pub record: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            engine: ENGINES[0].to_string(),
            adapter: None,
            mode: FloatMode::Exact,
            arenas: ArenaSizes::default(),
            statistics: false,
            coherence: false,
            limits: Limits::default(),
            record: None,
        }
    }
}

impl Settings {
    /// The settings in the environment: `CTM_ENGINE`, `CTM_FLOAT`, `CTM_STATISTICS`,
    /// `CTM_COHERENCE`, `CTM_RECORD`, and `CTM_ARENA_GPU`, `_GPUB`, `_SYS`, `_SYSC` in bytes or
    /// with K or M.
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
            settings.engine = name;
        }
        if let Some(value) = get("CTM_FLOAT") {
            settings.mode = FloatMode::from_name(&value)
                .ok_or_else(|| CallError::setting("CTM_FLOAT", &value, "exact, fast or chip"))?;
        }
        for (name, setting) in [
            ("CTM_STATISTICS", &mut settings.statistics),
            ("CTM_COHERENCE", &mut settings.coherence),
        ] {
            if let Some(value) = get(name) {
                *setting = match value.as_str() {
                    "0" => false,
                    "1" => true,
                    _ => return Err(CallError::setting(name, value, "0 or 1")),
                };
            }
        }
        settings.record = get("CTM_RECORD").map(PathBuf::from);
        let arenas = &mut settings.arenas;
        for (name, size) in [
            ("CTM_ARENA_GPU", &mut arenas.gpu),
            ("CTM_ARENA_GPUB", &mut arenas.gpub),
            ("CTM_ARENA_SYS", &mut arenas.sys),
            ("CTM_ARENA_SYSC", &mut arenas.sysc),
        ] {
            if let Some(value) = get(name) {
                *size = bytes(&value).ok_or_else(|| {
                    CallError::setting(
                        name,
                        &value,
                        "a number of bytes below 4G, or one with K or M",
                    )
                })?;
            }
        }
        Ok(settings)
    }

    /// The configuration of a device with these settings, with system memory shared with the
    /// client.
    pub(super) fn device(&self) -> Result<DeviceConfig, CallError> {
        let engine = engine::open(&self.engine, self.adapter.as_deref(), error::note)?;
        let mut config = DeviceConfig {
            arenas: self.arenas,
            mode: self.mode,
            statistics: self.statistics,
            coherence: self.coherence,
            limits: self.limits,
            client_memory: true,
            ..DeviceConfig::new(engine.into())
        };
        config.recorder = recordings::recorder(self.record.as_deref(), &config);
        Ok(config)
    }
}

/// A size: digits, then nothing, K or M. The device interface has 32 bits for sizes.
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
        .map_err(|error| error.0)
    }

    #[test]
    fn the_environment_chooses() {
        assert_eq!(from(&[]), Ok(Settings::default()));
        assert_eq!(from(&[("CTM_ENGINE", "")]), Ok(Settings::default()));
        let settings = from(&[
            ("CTM_ENGINE", "reference"),
            ("CTM_FLOAT", "fast"),
            ("CTM_STATISTICS", "1"),
            ("CTM_COHERENCE", "1"),
            ("CTM_RECORD", ""),
            ("CTM_ARENA_GPU", "4096K"),
            ("CTM_ARENA_GPUB", "2m"),
            ("CTM_ARENA_SYS", "0"),
            ("CTM_ARENA_SYSC", "65536"),
        ])
        .expect("all good");
        assert_eq!(settings.engine, "reference");
        assert_eq!((settings.mode, settings.statistics), (FloatMode::Fast, true));
        assert!(settings.coherence);
        assert_eq!(
            settings.arenas,
            ArenaSizes { gpu: 4 << 20, gpub: 2 << 20, sys: 0, sysc: 1 << 16 }
        );
        let device = settings.device().expect("it exists");
        assert_eq!(device.engine.name(), "reference");
        assert!(device.client_memory);
    }

    #[test]
    fn bad_values_are_named() {
        for (name, value, error) in [
            ("CTM_FLOAT", "x", "CTM_FLOAT is \"x\", expected exact, fast or chip"),
            ("CTM_STATISTICS", "yes", "CTM_STATISTICS is \"yes\", expected 0 or 1"),
            ("CTM_COHERENCE", "on", "CTM_COHERENCE is \"on\", expected 0 or 1"),
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
    }

    #[test]
    fn engines_that_cannot_be_had() {
        let error = |name, adapter| match engine::open(name, adapter, error::note) {
            Ok(_) => panic!("engine {name} on {adapter:?}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            error("Block", None),
            "engine \"Block\": expected auto, reference, block, interpreter, translated or gpu"
        );
        for name in ["block", "reference"] {
            assert_eq!(
                error(name, Some("0")),
                format!("adapter \"0\": engine {name} runs on the CPU")
            );
            assert!(
                engine::open(name, None, error::note).is_ok_and(|engine| engine.name() == name)
            );
        }
        // Without the feature no adapter can be asked for.
        let expected = if cfg!(feature = "gpu") {
            "no adapter has this name"
        } else {
            "built without the feature `gpu`"
        };
        for name in ["auto", "interpreter", "translated", "gpu"] {
            let error = error(name, Some("no adapter has this name"));
            assert!(error.contains(expected), "{error}");
        }
    }
}
