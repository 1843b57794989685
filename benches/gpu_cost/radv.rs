//! RADV's null device: Mesa's compiler for AMD's GPUs, on machines without one.

use super::assembly::Graph;
use ash::vk;
use ctm::engine::gpu::device::float_controls::FloatControls;
use ctm::engine::gpu::device::spirv::compile;
use naga::back::spv;
use std::ffi::{CStr, CString};
use std::process::Command;

/// A shader as RADV compiles it.
pub struct Compiled {
    /// The shader.
    pub graph: Graph,
    /// The compiler's text.
    pub text: String,
    /// Vector registers.
    pub vgprs: u64,
    /// Bytes of scratch of a point. A group is one wave of 64.
    pub scratch: u64,
    /// Bytes of workgroup memory.
    pub lds_bytes: u64,
}

/// The family that RADV compiles for, unless `RADV_FORCE_FAMILY` names another one.
const FAMILY: &str = "navi21";

/// A program as it must be started for RADV: it reads its settings when it is loaded. `None` if this
/// process has them.
pub fn settled(mut program: Command) -> Option<Command> {
    const SETTLED: &str = "CTM_GPU_COST";
    if std::env::var_os(SETTLED).is_some() {
        return None;
    }
    program.env(SETTLED, "1").env("MESA_SHADER_CACHE_DISABLE", "1");
    if std::env::var_os("RADV_FORCE_FAMILY").is_none() {
        program.env("RADV_FORCE_FAMILY", FAMILY);
    }
    if std::env::var_os("VK_ICD_FILENAMES").is_none() {
        let files = std::fs::read_dir("/usr/share/vulkan/icd.d").into_iter().flatten().flatten();
        let is_radv = |name: &std::ffi::OsString| name.to_string_lossy().starts_with("radeon_icd.");
        if let Some(file) = files.into_iter().find(|file| is_radv(&file.file_name())) {
            program.env("VK_ICD_FILENAMES", file.path());
        }
    }
    Some(program)
}

/// The device.
pub struct Radv {
    /// The family.
    pub family: String,
    /// The driver's version.
    pub driver: String,
    // The loader, which the functions below are of.
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
}

fn text(chars: &[std::ffi::c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().map(|c| c.cast_unsigned()).collect();
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

impl Radv {
    /// Opens the device, in a process that is [`settled`].
    pub fn open() -> Radv {
        // SAFETY: structures and handles live as long as they are used, and the device has what is
        // asked for, or its creation fails.
        unsafe {
            let entry = ash::Entry::load().expect("a Vulkan loader");
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None).expect("a driver for Vulkan");
            let devices = instance.enumerate_physical_devices().expect("devices");
            let found = devices.into_iter().find_map(|physical| {
                let mut driver = vk::PhysicalDeviceDriverProperties::default();
                let mut properties =
                    vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
                instance.get_physical_device_properties2(physical, &mut properties);
                let is_radv = driver.driver_id == vk::DriverId::MESA_RADV;
                is_radv.then(|| (physical, text(&driver.driver_info)))
            });
            let (physical, driver) =
                found.expect("RADV: Debian's package mesa-vulkan-drivers has it");
            let mut executable =
                vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
                    .pipeline_executable_info(true);
            // As wgpu asks for them.
            let mut robust =
                vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true);
            let mut memory =
                vk::PhysicalDeviceVulkan12Features::default().vulkan_memory_model(true);
            let core = vk::PhysicalDeviceFeatures::default().robust_buffer_access(true);
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let extensions = [
                vk::KHR_PIPELINE_EXECUTABLE_PROPERTIES_NAME.as_ptr(),
                vk::EXT_ROBUSTNESS2_NAME.as_ptr(),
            ];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&core)
                .enabled_extension_names(&extensions)
                .push_next(&mut executable)
                .push_next(&mut robust)
                .push_next(&mut memory);
            let device = instance.create_device(physical, &info, None).expect("a device");
            let family = std::env::var("RADV_FORCE_FAMILY").unwrap_or_default();
            Radv { family, driver, _entry: entry, instance, device }
        }
    }

    /// Compiles the entry point of a WGSL shader, with or without float controls.
    pub fn compile(&self, wgsl: &str, entry: &str, controlled: bool) -> Compiled {
        let (words, bindings) = spirv(wgsl, entry, controlled);
        let name = CString::new(entry).expect("a name");
        let bindings: Vec<_> = bindings
            .into_iter()
            .map(|(number, kind)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(number)
                    .descriptor_count(1)
                    .descriptor_type(kind)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let device = &self.device;
        // SAFETY: naga wrote the words from WGSL that it had validated; the layout has its bindings. All
        // handles are of this device and destroyed once.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let sets = [device.create_descriptor_set_layout(&info, None).expect("a layout")];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
            let layout = device.create_pipeline_layout(&info, None).expect("a layout");
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            let module = device.create_shader_module(&info, None).expect("a module");
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&name);
            let flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
                | vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
            let info =
                vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(layout);
            let pipelines =
                device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let pipeline = pipelines.expect("a pipeline")[0];
            let compiled = self.compiled(pipeline);
            device.destroy_pipeline(pipeline, None);
            device.destroy_shader_module(module, None);
            device.destroy_pipeline_layout(layout, None);
            device.destroy_descriptor_set_layout(sets[0], None);
            compiled
        }
    }

    /// The driver's statements of a pipeline's only executable.
    fn compiled(&self, pipeline: vk::Pipeline) -> Compiled {
        use ash::khr::pipeline_executable_properties::Device;
        let extension = Device::new(&self.instance, &self.device);
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        let get = extension.fp().get_pipeline_executable_internal_representations_khr;
        let mut text = Vec::new();
        // SAFETY: the pipeline lives and captured both. The first call gives the number of texts, the
        // second their sizes, the third fills buffers of these sizes.
        let statistics = unsafe {
            let mut count = 0;
            let _ = get(self.device.handle(), &info, &mut count, std::ptr::null_mut());
            let mut parts =
                vec![vk::PipelineExecutableInternalRepresentationKHR::default(); count as usize];
            let _ = get(self.device.handle(), &info, &mut count, parts.as_mut_ptr());
            let mut texts: Vec<Vec<u8>> =
                parts.iter().map(|part| vec![0; part.data_size]).collect();
            for (part, text) in parts.iter_mut().zip(&mut texts) {
                part.p_data = text.as_mut_ptr().cast();
            }
            let _ = get(self.device.handle(), &info, &mut count, parts.as_mut_ptr());
            for (part, bytes) in parts.iter().zip(texts) {
                if self::text(&part.name).contains("ssembly") {
                    text = bytes;
                }
            }
            extension.get_pipeline_executable_statistics(&info).expect("statistics")
        };
        let statistic = |name: &CStr| {
            let is =
                |one: &&vk::PipelineExecutableStatisticKHR<'_>| one.name_as_c_str() == Ok(name);
            let one = statistics.iter().find(is);
            // SAFETY: RADV's statistics are unsigned numbers.
            one.map_or_else(|| panic!("no statistic {name:?}"), |one| unsafe { one.value.u64 })
        };
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        let text = String::from_utf8_lossy(&text[..end]).into_owned();
        Compiled {
            graph: Graph::read(&text),
            vgprs: statistic(c"VGPRs"),
            scratch: statistic(c"Scratch size") / 64,
            lds_bytes: statistic(c"LDS size"),
            text,
        }
    }
}

/// A shader's SPIR-V as wgpu has it made for such a driver, or as the engine has, with float controls; and its
/// bindings.
fn spirv(wgsl: &str, entry: &str, controlled: bool) -> (Vec<u32>, Vec<(u32, vk::DescriptorType)>) {
    use naga::proc::BoundsCheckPolicy::{Restrict, Unchecked};
    let module = naga::front::wgsl::parse_str(wgsl);
    let module = module.unwrap_or_else(|error| panic!("{}", error.emit_to_string(wgsl)));
    let all = naga::valid::Capabilities::all();
    let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(wgsl)));
    let options = spv::Options {
        lang_version: (1, 5),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: naga::proc::BoundsCheckPolicies {
            index: Restrict,
            buffer: Unchecked,
            image_load: Unchecked,
            binding_array: Unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    let entry = spv::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: entry.to_string(),
    };
    let words = spv::write_vec(&module, &info, &options, Some(&entry)).expect("SPIR-V");
    let bindings = module.global_variables.iter().filter_map(|(_, variable)| {
        let kind = match variable.space {
            naga::AddressSpace::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
            _ => vk::DescriptorType::STORAGE_BUFFER,
        };
        Some((variable.binding.as_ref()?.binding, kind))
    });
    let mut bindings: Vec<_> = bindings.collect();
    if !controlled {
        return (words, bindings);
    }
    bindings.sort_unstable_by_key(|(number, _)| *number);
    let numbers: Vec<u32> = bindings.iter().map(|(number, _)| *number).collect();
    let controls = FloatControls { denorm_preserve: true };
    let words = compile(wgsl, &entry.entry_point, false, &numbers, controls).expect("SPIR-V");
    (words, (0..).zip(bindings.into_iter().map(|(_, kind)| kind)).collect())
}
