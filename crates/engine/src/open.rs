//! Engines by their names.

#[cfg(feature = "gpu")]
use ctm_gpu::auto::Auto;
#[cfg(feature = "gpu")]
use ctm_gpu::{AdapterChoice, Interpreter, Translated};
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::Reference;
use ctm_machine::engine::{Engine, NAMES};

/// Errors of opening an engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// No such engine.
    #[error("engine \"{name}\": expected {}", one_of(&NAMES))]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// An adapter was named for an engine that uses none.
    #[error("adapter \"{adapter}\": engine {engine} runs on the CPU")]
    Adapter {
        /// The engine.
        engine: String,
        /// The adapter asked for.
        adapter: String,
    },
    /// The adapter cannot be opened.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] ctm_machine::engine::GpuError),
    /// The engine, or an adapter for `auto`, needs the feature `gpu`, which this build lacks.
    #[cfg(not(feature = "gpu"))]
    #[error("engine {engine} on a GPU: this ctm was built without the feature `gpu`")]
    NotBuilt {
        /// The engine.
        engine: String,
    },
}

/// Whether the engine with this name runs on the CPU only.
pub fn runs_on_cpu(name: &str) -> bool {
    matches!(name, "reference" | "block")
}

/// Opens the engine with this name. `adapter` selects the adapter of an engine that uses one;
/// without it, `CTM_ADAPTER` decides, else the best GPU. `note` receives the messages of `auto`.
///
/// # Errors
/// [`EngineError`].
pub fn open(
    name: &str,
    adapter: Option<&str>,
    note: fn(&str),
) -> Result<Box<dyn Engine>, EngineError> {
    if let (true, Some(adapter)) = (runs_on_cpu(name), adapter) {
        return Err(EngineError::Adapter {
            engine: name.to_string(),
            adapter: adapter.to_string(),
        });
    }
    match name {
        "reference" => Ok(Box::new(Reference::new())),
        "block" => Ok(Box::new(Block::new())),
        _ if NAMES.contains(&name) => on_gpu(name, adapter, note),
        _ => Err(EngineError::Unknown { name: name.to_string() }),
    }
}

/// `auto`, or an engine that runs on a GPU.
#[cfg(feature = "gpu")]
fn on_gpu(
    name: &str,
    adapter: Option<&str>,
    note: fn(&str),
) -> Result<Box<dyn Engine>, EngineError> {
    let choice = adapter.map_or_else(AdapterChoice::from_environment, AdapterChoice::parse);
    Ok(match name {
        "interpreter" => Box::new(Interpreter::open(&choice)?),
        "translated" => Box::new(Translated::open(&choice)?),
        "gpu" => Box::new(Translated::tiered(&choice)?),
        _ => Box::new(Auto::open(&choice, note)?),
    })
}

/// In a build without GPU engines, `auto` is `block`.
#[cfg(not(feature = "gpu"))]
fn on_gpu(
    name: &str,
    adapter: Option<&str>,
    _note: fn(&str),
) -> Result<Box<dyn Engine>, EngineError> {
    match (name, adapter) {
        ("auto", None) => Ok(Box::new(Block::new())),
        _ => Err(EngineError::NotBuilt { engine: name.to_string() }),
    }
}

fn one_of(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(all(test, not(feature = "gpu")))]
mod tests {
    use super::*;

    #[test]
    fn without_a_gpu_auto_is_block_and_the_others_are_refused() {
        let of = |name, adapter| open(name, adapter, |_| {}).map(|engine| engine.name());
        assert_eq!(of("auto", None), Ok("block"));
        assert_eq!(of("reference", None), Ok("reference"));
        for name in ["interpreter", "translated", "gpu"] {
            let error = of(name, None).unwrap_err().to_string();
            let expected =
                format!("engine {name} on a GPU: this ctm was built without the feature `gpu`");
            assert_eq!(error, expected);
        }
        let named = of("auto", Some("0")).unwrap_err();
        assert_eq!(named, EngineError::NotBuilt { engine: "auto".into() });
    }
}
