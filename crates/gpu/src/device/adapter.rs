//! The adapters of this machine: their names, their features, and the choice of one.
//!
//! A software adapter runs shaders on the host's CPU. It is useful for tests, but slower than the
//! block engine, so it is chosen only by name or number.

use crate::device::connection::Gpu;
use ctm_machine::engine::GpuError;

/// The environment variable that names an adapter, as `--adapter` does.
pub const VARIABLE: &str = "CTM_ADAPTER";

/// The choice of an adapter.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// The best real GPU; never a software adapter.
    #[default]
    Best,
    /// The one with this index in the list of [`Adapters`].
    Index(usize),
    /// The one whose name contains this text, ignoring case.
    Name(String),
}

impl AdapterChoice {
    /// Parses a choice: a number is an index, empty text is the best one, other text is part of a
    /// name.
    pub fn parse(text: &str) -> AdapterChoice {
        let text = text.trim();
        match text.parse() {
            Ok(index) => AdapterChoice::Index(index),
            Err(_) if text.is_empty() => AdapterChoice::Best,
            Err(_) => AdapterChoice::Name(text.to_string()),
        }
    }

    /// The choice in the variable `CTM_ADAPTER`; the best one if it is not set.
    pub fn from_environment() -> AdapterChoice {
        let text = std::env::var_os(VARIABLE).unwrap_or_default();
        AdapterChoice::parse(&text.to_string_lossy())
    }

    /// Whether a specific adapter was asked for.
    pub fn is_named(&self) -> bool {
        *self != AdapterChoice::Best
    }

    fn asked(&self) -> Option<String> {
        match self {
            AdapterChoice::Best => None,
            AdapterChoice::Index(index) => Some(index.to_string()),
            AdapterChoice::Name(name) => Some(name.clone()),
        }
    }
}

/// The kind of device an adapter is, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the host's memory.
    Integrated,
    /// A GPU provided by a virtual machine's host.
    Virtual,
    /// The driver does not say.
    Other,
    /// The host's CPU.
    Software,
}

impl AdapterKind {
    /// The kind's name.
    pub fn name(self) -> &'static str {
        match self {
            AdapterKind::Discrete => "discrete",
            AdapterKind::Integrated => "integrated",
            AdapterKind::Virtual => "virtual",
            AdapterKind::Other => "other",
            AdapterKind::Software => "software",
        }
    }
}

impl From<wgpu::DeviceType> for AdapterKind {
    fn from(kind: wgpu::DeviceType) -> AdapterKind {
        match kind {
            wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
            wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
            wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
            wgpu::DeviceType::Cpu => AdapterKind::Software,
            wgpu::DeviceType::Other => AdapterKind::Other,
        }
    }
}

/// A minimum that the engine requires of an adapter.
struct Need {
    what: &'static str,
    least: u64,
    of: fn(&wgpu::Limits) -> u64,
}

/// The most storage buffers of a shader. WebGPU guarantees as many.
pub(crate) const STORAGE_BUFFERS: u32 = 8;

/// Everything that an adapter must have. Every WebGPU adapter has it.
const NEEDS: [Need; 8] = [
    Need {
        what: "the number of storage buffers of a shader",
        least: STORAGE_BUFFERS as u64,
        of: |l| l.max_storage_buffers_per_shader_stage.into(),
    },
    Need {
        what: "the number of bindings of a group",
        least: 16,
        of: |l| l.max_bindings_per_bind_group.into(),
    },
    Need {
        what: "the largest storage binding in bytes",
        least: 1 << 27,
        of: |l| l.max_storage_buffer_binding_size,
    },
    Need { what: "the largest buffer in bytes", least: 1 << 28, of: |l| l.max_buffer_size },
    Need {
        what: "workgroup memory in bytes",
        least: 16 << 10,
        of: |l| l.max_compute_workgroup_storage_size.into(),
    },
    Need {
        what: "the number of invocations of a workgroup",
        least: 64,
        of: |l| l.max_compute_invocations_per_workgroup.into(),
    },
    Need {
        what: "the width of a workgroup",
        least: 64,
        of: |l| l.max_compute_workgroup_size_x.into(),
    },
    Need {
        what: "the number of workgroups in a dimension",
        least: 65535,
        of: |l| l.max_compute_workgroups_per_dimension.into(),
    },
];

/// One adapter.
#[derive(Clone, Debug)]
pub struct AdapterInfo {
    /// Its index in the list.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The API used to reach it: Vulkan, Metal or DirectX 12.
    pub backend: &'static str,
    /// The kind of device.
    pub kind: AdapterKind,
    /// The driver's name; may be empty.
    pub driver: String,
    /// The driver's version and similar information; may be empty.
    pub driver_info: String,
    /// Lanes that run together: the minimum and the maximum.
    pub subgroup: (u32, u32),
    /// Whether the driver offers to return compiled pipelines. It may still return none: see
    /// [`Adapters::keeps_pipelines`].
    pub pipeline_cache: bool,
    /// The most it can do.
    pub limits: wgpu::Limits,
    /// The reasons why it cannot be used; empty if it can.
    pub missing: Vec<GpuError>,
    /// The driver's description of itself, for the cache's key.
    pub(crate) raw: wgpu::AdapterInfo,
}

impl AdapterInfo {
    fn new(index: usize, adapter: &wgpu::Adapter) -> AdapterInfo {
        let raw = adapter.get_info();
        let limits = adapter.limits();
        let name = raw.name.trim().to_string();
        let mut missing: Vec<GpuError> = NEEDS
            .iter()
            .filter(|need| (need.of)(&limits) < need.least)
            .map(|need| GpuError::Limits {
                adapter: name.clone(),
                what: need.what.to_string(),
                need: need.least,
                have: (need.of)(&limits),
            })
            .collect();
        let flags = adapter.get_downlevel_capabilities().flags;
        if !flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
            missing.push(GpuError::NoDevice {
                adapter: name.clone(),
                reason: "it has no compute shaders".into(),
            });
        }
        AdapterInfo {
            index,
            name,
            backend: match raw.backend {
                wgpu::Backend::Vulkan => "Vulkan",
                wgpu::Backend::Metal => "Metal",
                wgpu::Backend::Dx12 => "DirectX 12",
                other => other.to_str(),
            },
            kind: raw.device_type.into(),
            driver: raw.driver.clone(),
            driver_info: raw.driver_info.clone(),
            subgroup: (raw.subgroup_min_size, raw.subgroup_max_size),
            pipeline_cache: adapter.features().contains(wgpu::Features::PIPELINE_CACHE),
            limits,
            missing,
            raw,
        }
    }

    /// One line for lists: `0: name (Vulkan, discrete)`.
    pub fn line(&self) -> String {
        let AdapterInfo { index, name, .. } = self;
        format!("{index}: {name} ({}, {})", self.backend, self.kind.name())
    }
}

/// The adapters of this machine, in the order in which drivers report them.
pub struct Adapters {
    list: Vec<(AdapterInfo, wgpu::Adapter)>,
}

impl Adapters {
    /// Asks all drivers. Takes some 10 ms for each installed driver.
    pub fn list() -> Adapters {
        let instance = instance();
        let adapters = pollster::block_on(instance.enumerate_adapters(backends()));
        let list = adapters
            .into_iter()
            .enumerate()
            .map(|(n, adapter)| (AdapterInfo::new(n, &adapter), adapter))
            .collect();
        Adapters { list }
    }

    /// Information about each adapter, in order.
    pub fn infos(&self) -> impl ExactSizeIterator<Item = &AdapterInfo> {
        self.list.iter().map(|(info, _)| info)
    }

    /// The adapter for a choice.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] and [`GpuError::Ambiguous`].
    pub fn choose(&self, choice: &AdapterChoice) -> Result<&AdapterInfo, GpuError> {
        let infos: Vec<&AdapterInfo> = self.infos().collect();
        choose(&infos, choice)
    }

    /// Whether compiled pipelines of an adapter can be kept on disk. Opens the adapter and tries.
    /// An adapter that cannot be used keeps none.
    pub fn keeps_pipelines(&self, info: &AdapterInfo) -> bool {
        let open = || self.open(&AdapterChoice::Index(info.index));
        info.pipeline_cache && open().is_ok_and(|gpu| crate::device::cache::keeps(&gpu))
    }

    /// Opens the adapter for a choice.
    ///
    /// # Errors
    /// As [`choose`](Self::choose), and when the adapter cannot be used.
    pub fn open(&self, choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        let index = self.choose(choice)?.index;
        match self.list.get(index) {
            Some((info, adapter)) => Gpu::new(info, adapter),
            None => Err(none(&[], choice)),
        }
    }
}

fn none(infos: &[&AdapterInfo], choice: &AdapterChoice) -> GpuError {
    GpuError::NoAdapter {
        asked: choice.asked(),
        available: infos.iter().map(|info| info.line()).collect(),
    }
}

fn choose<'a>(
    infos: &[&'a AdapterInfo],
    choice: &AdapterChoice,
) -> Result<&'a AdapterInfo, GpuError> {
    let found = match choice {
        AdapterChoice::Best => infos
            .iter()
            .filter(|info| info.kind != AdapterKind::Software && info.missing.is_empty())
            .min_by_key(|info| (info.kind, info.index)),
        AdapterChoice::Index(index) => infos.iter().find(|info| info.index == *index),
        AdapterChoice::Name(name) => {
            let name = name.to_lowercase();
            let having: Vec<&&AdapterInfo> =
                infos.iter().filter(|info| info.name.to_lowercase().contains(&name)).collect();
            // A card reached through two APIs is one card. A full name takes precedence.
            let same = |a: &AdapterInfo, b: &AdapterInfo| {
                a.name == b.name && a.raw.device == b.raw.device && a.backend != b.backend
            };
            let whole: Vec<&&AdapterInfo> =
                having.iter().copied().filter(|info| info.name.to_lowercase() == name).collect();
            let matches = if whole.is_empty() { having } else { whole };
            match matches.split_first() {
                Some((first, rest)) if !rest.iter().all(|other| same(first, other)) => {
                    return Err(GpuError::Ambiguous {
                        asked: choice.asked().unwrap_or_default(),
                        matches: matches.iter().map(|info| info.line()).collect(),
                    });
                }
                first => first.map(|(first, _)| *first),
            }
        }
    };
    found.copied().ok_or_else(|| none(infos, choice))
}

/// The APIs to ask: the native one of each system. OpenGL is left out, because it lacks features
/// that the shaders need.
fn backends() -> wgpu::Backends {
    wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12
}

fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: backends(),
        // No validation layers, even in debug builds: they cost a second and are not installed
        // everywhere. wgpu's variables, such as WGPU_VALIDATION=1, enable them.
        flags: wgpu::InstanceFlags::DISCARD_HAL_LABELS.with_env(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
}

/// Whether to ask the drivers for a real GPU at all. On Linux every GPU needs a device file.
/// Looking for one takes microseconds; loading all drivers takes as long as a small job.
pub fn may_have_gpu() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    // Direct rendering, NVIDIA's own driver, the Windows subsystem, and two drivers of phones.
    let starts = ["nvidia", "dxg", "kgsl", "mali"];
    let has = |folder: &str, starts: &[&str]| {
        std::fs::read_dir(folder).is_ok_and(|entries| {
            entries.flatten().any(|entry| {
                let name = entry.file_name();
                starts.iter().any(|s| name.to_string_lossy().starts_with(s))
            })
        })
    };
    has("/dev", &starts) || has("/dev/dri", &["render"])
}

#[cfg(test)]
mod tests;
