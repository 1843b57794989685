//! The limits of the machine: those of the host, and those of an adapter, which are kept.

use crate::engines::Adapter;
use ctm_base::text::numbers::{rate, time};
#[cfg(feature = "gpu")]
use ctm_engine::gpu::{Gpu, limits::Limits};
use ctm_engine::{Engine, runs_on_cpu};
use ctm_tools::bench::Peak;
use serde_json::json;

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
    Ok(Peak { multiply_adds, bytes, launch })
}

#[cfg(not(feature = "gpu"))]
fn of_adapter(_: &Adapter) -> anyhow::Result<Peak> {
    Ok(Peak::of_host())
}

/// The text of `--adapter-limits`.
pub(super) fn renewed(adapter: &Adapter, as_json: bool) -> anyhow::Result<String> {
    let host = Peak::of_host();
    let mut object =
        json!({ "host": { "multiply_adds": host.multiply_adds, "bytes": host.bytes } });
    let mut text = format!(
        "host, {} threads\n  multiply-adds       {}/s\n  copy                {}B/s\n",
        rayon::current_num_threads(),
        rate(host.multiply_adds),
        rate(host.bytes)
    );
    #[cfg(feature = "gpu")]
    {
        use ctm_engine::gpu::GpuError;
        match Gpu::open(&adapter.choice()) {
            Ok(gpu) => {
                let limits = Limits::renew(&gpu)?;
                text += &format!(
                    "{}\n  multiply-adds       {}/s\n  integer operations  {}/s\n  copy                {}B/s\n  \
                     launch              {}\n  launch, one of 64   {}\n",
                    gpu.info.line(),
                    rate(limits.multiply_adds),
                    rate(limits.integer_operations),
                    rate(limits.bytes),
                    time(limits.launch),
                    time(limits.launch_of_64)
                );
                object["adapter"] = json!({ "name": gpu.info.name, "limits": limits });
            }
            Err(GpuError::NoAdapter { asked: None, .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    #[cfg(not(feature = "gpu"))]
    let _ = (adapter, time);
    Ok(if as_json { format!("{object}\n") } else { text })
}
