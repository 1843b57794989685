//! Which float controls a driver has, and the switch that makes the engine use those that flush.

use ctm_shade::guards::Denormals;

/// The environment variable that makes the engine flush denormals by float controls, if it is `1`.
pub const VARIABLE: &str = "CTM_NATIVE";

/// What the shaders of a device may ask for, for 32-bit numbers. All that ask for anything also round to
/// nearest even and keep signed zeros, Inf and NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatControls {
    /// That instructions flush denormals.
    pub flushed: bool,
    /// That they keep denormals.
    pub preserved: bool,
    /// For tests on drivers without these: shaders ask only for the rest.
    pub pretended: bool,
}

impl FloatControls {
    /// The float controls for a device on an adapter. It flushes only if `CTM_NATIVE` asks for it.
    pub(crate) fn of(adapter: &wgpu::Adapter) -> FloatControls {
        let asked = std::env::var_os(VARIABLE).is_some_and(|value| value == "1");
        let has = driver_has(adapter);
        FloatControls { flushed: has.flushed && asked, ..has }
    }

    /// Whether shaders may ask for this.
    pub fn has(self, denormals: Denormals) -> bool {
        match denormals {
            Denormals::Flushed => self.flushed,
            Denormals::Preserved => self.preserved,
        }
    }
}

/// What a driver takes, according to its properties.
#[cfg(not(target_vendor = "apple"))]
fn driver_has(adapter: &wgpu::Adapter) -> FloatControls {
    use ash::vk;
    // SAFETY: nothing that the handle refers to is destroyed or changed.
    let Some(adapter) = (unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }) else {
        return FloatControls::default();
    };
    let instance = adapter.shared_instance();
    let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
    if instance.instance_api_version() < vk::API_VERSION_1_2 {
        return FloatControls::default();
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
    FloatControls {
        flushed: has && controls.shader_denorm_flush_to_zero_float32 == vk::TRUE,
        preserved: has && controls.shader_denorm_preserve_float32 == vk::TRUE,
        pretended: false,
    }
}

/// Only Vulkan has them.
#[cfg(target_vendor = "apple")]
fn driver_has(_: &wgpu::Adapter) -> FloatControls {
    FloatControls::default()
}
