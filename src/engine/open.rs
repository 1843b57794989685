//! Engines by their names.

use super::auto::Auto;
use super::block::Block;
use super::gpu::{AdapterChoice, GpuError, Interpreter, Translated};
use super::reference::Reference;
use super::{Engine, NAMES};

/// Why an engine cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// No such engine.
    #[error("engine \"{name}\": expected {}", one_of(&NAMES))]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// An adapter for an engine that runs on none.
    #[error("adapter \"{adapter}\": engine {engine} runs on the CPU")]
    Adapter {
        /// The engine.
        engine: String,
        /// The adapter asked for.
        adapter: String,
    },
    /// The adapter cannot be had.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// Whether the engine with this name runs on the CPU only.
pub fn runs_on_cpu(name: &str) -> bool {
    matches!(name, "reference" | "block")
}

/// The engine with a name, on an adapter if it runs on one: without one as `CTM_ADAPTER` says, else
/// the best GPU. `note` takes what `auto` has to tell.
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
    let choice = adapter.map_or_else(AdapterChoice::from_environment, AdapterChoice::parse);
    Ok(match name {
        "auto" => Box::new(Auto::open(&choice, note)?),
        "reference" => Box::new(Reference::new()),
        "block" => Box::new(Block::new()),
        "interpreter" => Box::new(Interpreter::open(&choice)?),
        "translated" => Box::new(Translated::open(&choice)?),
        "gpu" => Box::new(Translated::tiered(&choice)?),
        _ => {
            let name = name.to_string();
            return Err(EngineError::Unknown { name });
        }
    })
}

fn one_of(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
