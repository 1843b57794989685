//! The limits of the machine: those of the host, and those of an adapter, which are kept.

use crate::engines::Adapter;
use ctm_base::text::numbers::rate;
#[cfg(feature = "gpu")]
use ctm_engine::gpu::{AdapterKind, Gpu, limits::Limits};
use ctm_engine::{Engine, runs_on_cpu};
use ctm_tools::bench::Peak;
use serde_json::{Value, json};

/// The limits of what each engine runs on. Those of an adapter are measured if they are not known.
pub(super) fn of(engines: &[Box<dyn Engine>], adapter: &Adapter) -> anyhow::Result<Vec<Peak>> {
    let host = Peak::of_host();
    let mut found = None;
    let peaks = engines.iter().map(|engine| {
        if runs_on_cpu(engine.name()) {
            return Ok(host);
        }
        match found {
            Some(peak) => Ok(peak),
            None => of_adapter(adapter).map(|peak| *found.insert(peak)),
        }
    });
    peaks.collect()
}

#[cfg(feature = "gpu")]
fn of_adapter(adapter: &Adapter) -> anyhow::Result<Peak> {
    let gpu = Gpu::open(&adapter.choice())?;
    let limits = Limits::known(&gpu).map_or_else(|| Limits::renew(&gpu), Ok)?;
    let Limits { multiply_adds, bytes, launch_of_64: launch, .. } = limits;
    Ok(Peak { multiply_adds, bytes, launch, gpu: gpu.info.kind != AdapterKind::Software })
}

/// Not called: this build opens no engine that needs an adapter.
#[cfg(not(feature = "gpu"))]
fn of_adapter(_: &Adapter) -> anyhow::Result<Peak> {
    Ok(Peak::of_host())
}

/// The text of `--adapter-limits`.
pub(super) fn renewed(adapter: &Adapter, as_json: bool) -> anyhow::Result<String> {
    let Peak { multiply_adds, bytes, .. } = Peak::of_host();
    let of_adapter = renewed_of_adapter(adapter)?;
    if as_json {
        let adapter = of_adapter.map(|(_, object)| object);
        let host = json!({ "multiply_adds": multiply_adds, "bytes": bytes });
        return Ok(format!("{}\n", json!({ "host": host, "adapter": adapter })));
    }
    let host = format!(
        "host, {} threads\n  multiply-adds       {}/s\n  copy                {}B/s\n",
        rayon::current_num_threads(),
        rate(multiply_adds),
        rate(bytes)
    );
    Ok(host + &of_adapter.map_or_else(String::new, |(text, _)| text))
}

/// The limits of the adapter, measured again, as text and as an object; `None`: there is none.
#[cfg(feature = "gpu")]
fn renewed_of_adapter(adapter: &Adapter) -> anyhow::Result<Option<(String, Value)>> {
    use ctm_base::text::numbers::time;
    use ctm_engine::gpu::GpuError;
    let gpu = match Gpu::open(&adapter.choice()) {
        Err(GpuError::NoAdapter { asked: None, .. }) => return Ok(None),
        gpu => gpu?,
    };
    let limits = Limits::renew(&gpu)?;
    let text = format!(
        "{}\n  multiply-adds       {}/s\n  integer operations  {}/s\n  copy                {}B/s\n  \
         launch              {}\n  launch, one of 64   {}\n",
        gpu.info.line(),
        rate(limits.multiply_adds),
        rate(limits.integer_operations),
        rate(limits.bytes),
        time(limits.launch),
        time(limits.launch_of_64)
    );
    Ok(Some((text, json!({ "name": gpu.info.name, "limits": limits }))))
}

#[cfg(not(feature = "gpu"))]
fn renewed_of_adapter(_: &Adapter) -> anyhow::Result<Option<(String, Value)>> {
    Ok(None)
}
