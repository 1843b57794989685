//! The engines that `--engine` knows, and the adapter of those that run on a GPU.

use super::output::{end_at_closed_pipe, print_io};
use anyhow::bail;
use ctm_engine::block::Block;
use ctm_engine::reference::{Reference, TraceEvent};
use ctm_engine::{Engine, NAMES, open, runs_on_cpu};
use ctm_jobs::job::Job;
use ctm_machine::launch::FloatMode;
use ctm_tools::tracing::Tracing;
use serde_json::{Value, json};

/// The adapter option, for every command that runs engines.
#[derive(clap::Args)]
pub struct Adapter {
    /// The adapter for GPU engines: its number in `ctm info --adapters`, or part of its name. Engines
    /// on the CPU ignore it. Default: the value of CTM_ADAPTER, else the best GPU.
    #[arg(long, value_name = "NAME|INDEX")]
    adapter: Option<String>,
}

impl Adapter {
    /// The value of the option.
    pub fn given(&self) -> Option<&str> {
        self.adapter.as_deref()
    }

    /// The adapter: the option's, else the environment's.
    #[cfg(feature = "gpu")]
    pub fn choice(&self) -> ctm_engine::gpu::AdapterChoice {
        use ctm_engine::gpu::AdapterChoice;
        match &self.adapter {
            Some(text) => AdapterChoice::parse(text),
            None => AdapterChoice::from_environment(),
        }
    }
}

/// The engine options, for every command that runs jobs on one engine.
#[derive(clap::Args)]
pub struct Choice {
    /// The engine. auto: the CPU (block), or for large launches a GPU. gpu: the best engine on a
    /// GPU, or an error.
    #[arg(long = "engine", value_name = "ENGINE", default_value = NAMES[0], value_parser = NAMES)]
    pub name: String,
    #[command(flatten)]
    pub adapter: Adapter,
}

impl Choice {
    /// Opens the engine.
    pub fn open(&self) -> anyhow::Result<Box<dyn Engine>> {
        open_on(&self.name, &self.adapter)
    }
}

/// Opens an engine. Engines on the CPU ignore the adapter, so that scripts can give it always.
fn open_on(name: &str, adapter: &Adapter) -> anyhow::Result<Box<dyn Engine>> {
    Ok(open(name, adapter.given().filter(|_| !runs_on_cpu(name)), note)?)
}

fn note(text: &str) {
    super::tell(format_args!("ctm: note: {text}"));
}

/// Opens the engines of a comparison, from the list that `--engine` takes. Without a list: all
/// engines of this machine, the reference first. The engines on a GPU are among them if an adapter
/// is named or a real GPU exists.
pub fn several(names: &[String], adapter: &Adapter) -> anyhow::Result<Vec<Box<dyn Engine>>> {
    if names.is_empty() {
        let mut all: Vec<Box<dyn Engine>> =
            vec![Box::new(Reference::new()), Box::new(Block::new())];
        all.extend(on_gpu(adapter)?);
        return Ok(all);
    }
    let known = &NAMES[1..];
    let mut list: Vec<&'static str> = Vec::new();
    for name in names {
        let Some(&engine) = known.iter().find(|known| *known == name) else {
            bail!("--engine: there is no engine \"{name}\"; the engines are {}", known.join(", "));
        };
        if list.contains(&engine) {
            bail!("--engine: {engine} is given twice");
        }
        list.push(engine);
    }
    list.into_iter().map(|name| open_on(name, adapter)).collect()
}

/// As [`several`], for a comparison in one mode: by default the engines that have the mode.
pub fn comparable(
    names: &[String],
    adapter: &Adapter,
    mode: FloatMode,
) -> anyhow::Result<Vec<Box<dyn Engine>>> {
    let mut engines = several(names, adapter)?;
    engines.retain(|engine| !names.is_empty() || engine.computes(mode));
    Ok(engines)
}

/// The engines on a GPU: on the named adapter, else on a real GPU if there is one.
#[cfg(feature = "gpu")]
fn on_gpu(adapter: &Adapter) -> anyhow::Result<Vec<Box<dyn Engine>>> {
    use ctm_engine::gpu::device::adapter::may_have_gpu;
    use ctm_engine::gpu::{GpuError, Interpreter, Translated};
    let choice = adapter.choice();
    if !choice.is_named() && !may_have_gpu() {
        return Ok(Vec::new());
    }
    match Interpreter::open(&choice) {
        Ok(engine) => Ok(vec![Box::new(engine), Box::new(Translated::open(&choice)?)]),
        Err(GpuError::NoAdapter { .. }) if !choice.is_named() => Ok(Vec::new()),
        // A GPU that does not work is an error: otherwise it would be missing silently.
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(feature = "gpu"))]
fn on_gpu(adapter: &Adapter) -> anyhow::Result<Vec<Box<dyn Engine>>> {
    match adapter.given() {
        Some(name) => bail!("--adapter {name}: this ctm was built without the feature `gpu`"),
        None => Ok(Vec::new()),
    }
}

/// The reference engine, which prints what one point does: objects on standard error, because standard output
/// carries the result's object; else text on standard output.
pub fn printing(job: &Job, point: (u32, u32), json: bool) -> Tracing<'_> {
    let mut last = None;
    let print = move |number: u64, event: TraceEvent| {
        let (pass, repetition) = job.pass_of(number).unwrap_or_default();
        if json {
            let mut object = json!({ "launch": number, "pass": pass, "repetition": repetition });
            let more = serde_json::to_value(&event);
            if let (Value::Object(object), Ok(Value::Object(more))) = (&mut object, more) {
                object.extend(more);
            }
            return super::tell(object);
        }
        let heading = match last.replace(number) {
            last if job.launches() == 1 || last == Some(number) => String::new(),
            _ => {
                let key = &job.passes[pass].location.key;
                format!("launch {number}: {key}, repetition {repetition}\n")
            }
        };
        let text = super::escaped(&format!("{heading}{event}\n"));
        // If the disk is full, the summary after the run reports the error.
        if let Err(error) = print_io(text)
            && error.kind() == std::io::ErrorKind::BrokenPipe
        {
            end_at_closed_pipe();
        }
    };
    Tracing::new(job, point, print)
}
