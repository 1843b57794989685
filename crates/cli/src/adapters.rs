//! `ctm info --adapters`.

use super::Exit;
use ctm_base::text::numbers::bytes;
use ctm_engine::gpu::device::cache;
use ctm_engine::gpu::{AdapterChoice, AdapterInfo, Adapters, GpuError};
use serde_json::{Value, json};

/// The choice of `--engine auto` on this machine.
struct Auto<'a> {
    /// The adapter it takes for large launches; `None`: the block engine, or an error.
    adapter: Option<&'a AdapterInfo>,
    /// The reason, human-readable.
    reason: String,
    /// Whether it ends with an error, as when the named adapter does not exist.
    error: bool,
}

impl<'a> Auto<'a> {
    fn of(adapters: &'a Adapters, choice: &AdapterChoice) -> Auto<'a> {
        let auto = |adapter, error, reason: &str| Auto { adapter, reason: reason.into(), error };
        match adapters.choose(choice) {
            Ok(info) if !info.missing.is_empty() => auto(None, true, &missing(info).join("; ")),
            Ok(info) if choice.is_named() => auto(Some(info), false, "CTM_ADAPTER names it"),
            Ok(info) => auto(Some(info), false, "it is the best GPU here"),
            Err(GpuError::NoAdapter { asked: None, .. }) => auto(
                None,
                false,
                "there is no GPU that can be used; a software adapter is taken only where it is named",
            ),
            Err(error) => auto(None, true, &format!("CTM_ADAPTER: {error}")),
        }
    }

    fn text(&self) -> String {
        let what = match self.adapter {
            Some(info) => format!("adapter {}, {}, for large launches", info.index, info.name),
            None if self.error => "an error".into(),
            None => "engine block".into(),
        };
        format!("--engine auto: {what}: {}\n", self.reason)
    }
}

/// The features that an adapter lacks.
fn missing(info: &AdapterInfo) -> Vec<String> {
    info.missing.iter().map(GpuError::to_string).collect()
}

/// Prints the list.
pub fn run(as_json: bool) -> anyhow::Result<Exit> {
    let adapters = Adapters::list();
    let choice = AdapterChoice::from_environment();
    let auto = Auto::of(&adapters, &choice);
    let folder = cache::folder();
    // Tries each driver: what a driver says about itself is not enough.
    let infos: Vec<(&AdapterInfo, bool)> =
        adapters.infos().map(|info| (info, adapters.keeps_pipelines(info))).collect();
    let text = if as_json {
        let list: Vec<Value> = infos.into_iter().map(to_json).collect();
        let object = json!({
            "adapters": list,
            "auto": {
                "adapter": auto.adapter.map(|info| info.index),
                "error": auto.error,
                "reason": auto.reason,
            },
            "pipeline_cache": folder.as_deref().map(super::utf8).transpose()?,
        });
        format!("{object}\n")
    } else {
        let kept = match folder {
            None => "not kept".into(),
            Some(_) if infos.iter().all(|(_, keeps)| !keeps) => "none to keep".into(),
            Some(folder) => format!("kept in {}", folder.display()),
        };
        let mut text: String = infos.into_iter().map(described).collect();
        if text.is_empty() {
            text = "no adapters: there is no driver\n".into();
        }
        text + &auto.text() + &format!("compiled pipelines: {kept}\n")
    };
    super::print(text)?;
    Ok(Exit::Done)
}

/// Describes one adapter in a few lines.
fn described((info, keeps): (&AdapterInfo, bool)) -> String {
    let limits = &info.limits;
    let mut driver = vec![&*info.driver, &*info.driver_info];
    driver.retain(|text| !text.is_empty());
    let driver = if driver.is_empty() { "unknown".into() } else { driver.join(", ") };
    let lanes = match info.subgroup {
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    let memory = format!(
        "buffers up to {}, bindings up to {}, {} of them in a shader",
        bytes(limits.max_buffer_size),
        bytes(limits.max_storage_buffer_binding_size),
        limits.max_storage_buffers_per_shader_stage
    );
    let workgroups = format!(
        "{} of memory, up to {} invocations in subgroups of {lanes}, {} in a dimension",
        bytes(limits.max_compute_workgroup_storage_size.into()),
        limits.max_compute_invocations_per_workgroup,
        limits.max_compute_workgroups_per_dimension
    );
    let kept = if keeps {
        "can be kept on disk"
    } else {
        "cannot be kept on disk: the driver gives nothing to keep"
    };
    let mut lines = vec![
        ("driver", driver),
        ("memory", memory),
        ("workgroups", workgroups),
        ("pipelines", kept.into()),
    ];
    if info.missing.is_empty() {
        lines.push(("usable", "yes".into()));
    }
    lines.extend(missing(info).iter().map(|m| ("usable", format!("no: {m}"))));
    let lines = lines.iter().map(|(key, value)| format!("  {key:<12}{value}\n"));
    std::iter::once(info.line() + "\n").chain(lines).collect()
}

fn to_json((info, keeps): (&AdapterInfo, bool)) -> Value {
    let limits = &info.limits;
    json!({
        "index": info.index,
        "name": info.name,
        "backend": info.backend,
        "kind": info.kind.name(),
        "driver": info.driver,
        "driver_info": info.driver_info,
        "limits": {
            "storage_binding_bytes": limits.max_storage_buffer_binding_size,
            "buffer_bytes": limits.max_buffer_size,
            "storage_buffers": limits.max_storage_buffers_per_shader_stage,
            "workgroup_bytes": limits.max_compute_workgroup_storage_size,
            "workgroup_invocations": limits.max_compute_invocations_per_workgroup,
            "workgroups_per_dimension": limits.max_compute_workgroups_per_dimension,
            "subgroup_lanes": [info.subgroup.0, info.subgroup.1],
        },
        "pipeline_cache": keeps,
        "usable": info.missing.is_empty(),
        "missing": missing(info),
    })
}
