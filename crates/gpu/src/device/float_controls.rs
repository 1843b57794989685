//! The float controls of a driver.

/// The controls that the shaders of a device may ask for, for 32-bit numbers: to round to nearest even,
/// to keep signed zeros, Inf and NaN, and this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatControls {
    /// To keep denormals. A driver that cannot be asked may keep them in shaders that ask for the rest,
    /// and flush them in others: NVIDIA's does.
    pub denorm_preserve: bool,
}

/// The float controls of an adapter, according to its driver's properties; `None` if it has not all of them.
#[cfg(not(target_vendor = "apple"))]
pub(crate) fn of(adapter: &wgpu::Adapter) -> Option<FloatControls> {
    use ash::vk;
    if !adapter.features().contains(wgpu::Features::PASSTHROUGH_SHADERS) {
        return None;
    }
    // SAFETY: nothing that the handle refers to is destroyed or changed.
    let adapter = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }?;
    let instance = adapter.shared_instance();
    let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
    if instance.instance_api_version() < vk::API_VERSION_1_2 {
        return None;
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
    let has = version >= vk::API_VERSION_1_2
        && controls.denorm_behavior_independence != none
        && controls.rounding_mode_independence != none
        && controls.shader_rounding_mode_rte_float32 == vk::TRUE
        && controls.shader_signed_zero_inf_nan_preserve_float32 == vk::TRUE;
    let denorm_preserve = controls.shader_denorm_preserve_float32 == vk::TRUE;
    has.then_some(FloatControls { denorm_preserve })
}

/// Only Vulkan has them.
#[cfg(target_vendor = "apple")]
pub(crate) fn of(_: &wgpu::Adapter) -> Option<FloatControls> {
    None
}
