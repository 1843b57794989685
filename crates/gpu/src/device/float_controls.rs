//! Which float controls a driver has, and the switch that makes the engine use them.

/// The environment variable that makes the engine use float controls, if it is `1`.
pub const VARIABLE: &str = "CTM_NATIVE";

/// The execution modes of shaders for 32-bit numbers. All shaders that have any round to nearest even
/// and keep signed zeros, Inf and NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatControls {
    /// Whether each instruction flushes denormals. Only tests leave this out.
    pub flush: bool,
}

impl FloatControls {
    /// The float controls for a device on an adapter; `None` if it has no flushing or if `CTM_NATIVE`
    /// does not ask for it.
    pub(crate) fn of(adapter: &wgpu::Adapter) -> Option<FloatControls> {
        let asked = std::env::var_os(VARIABLE).is_some_and(|value| value == "1");
        (asked && driver_flushes(adapter)).then_some(FloatControls { flush: true })
    }
}

/// Whether a driver takes all modes, according to its properties.
#[cfg(not(target_vendor = "apple"))]
fn driver_flushes(adapter: &wgpu::Adapter) -> bool {
    use ash::vk;
    // SAFETY: nothing that the handle refers to is destroyed or changed.
    let Some(adapter) = (unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }) else {
        return false;
    };
    let instance = adapter.shared_instance();
    let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
    if instance.instance_api_version() < vk::API_VERSION_1_2 {
        return false;
    }
    // SAFETY: the instance is alive, has this function since Vulkan 1.1, and made the device. A driver
    // that does not know the second structure leaves it as it is. wgpu has no such query.
    unsafe {
        instance
            .raw_instance()
            .get_physical_device_properties2(adapter.raw_physical_device(), &mut properties);
    }
    let version = properties.properties.api_version;
    let none = vk::ShaderFloatControlsIndependence::NONE;
    version >= vk::API_VERSION_1_2
        && controls.denorm_behavior_independence != none
        && controls.rounding_mode_independence != none
        && controls.shader_denorm_flush_to_zero_float32 == vk::TRUE
        && controls.shader_rounding_mode_rte_float32 == vk::TRUE
        && controls.shader_signed_zero_inf_nan_preserve_float32 == vk::TRUE
}

/// Only Vulkan has them.
#[cfg(target_vendor = "apple")]
fn driver_flushes(_: &wgpu::Adapter) -> bool {
    false
}
