//! The structures and constants of the headers.

use std::ffi::{c_char, c_void};
use std::mem::{offset_of, size_of};

use crate::engine::Statistics;
use crate::launch::FloatMode;
use crate::memory::{Format, Tiling};
use crate::program::ConstantKind;

/// `AMmanagedDeviceInfo`: sizes in bytes, device addresses, host pointers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the header's names
pub struct AMmanagedDeviceInfo {
    pub arena_size_gpu: u32,
    pub arena_size_gpub: u32,
    pub arena_size_sys: u32,
    pub arena_size_sysc: u32,
    pub base_address_gpu: u32,
    pub base_address_gpub: u32,
    pub base_address_sys: u32,
    pub base_address_sysc: u32,
    pub base_address_cpu: *mut c_void,
    pub base_address_cpuc: *mut c_void,
    pub spare0: u32,
    pub spare1: u32,
}

/// `AMUabiName`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct AMUabiName {
    pub str: *const c_char,
    pub length: u32,
}

/// `AMUabiUserConst`: a constant that the source names.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct AMUabiUserConst {
    pub name: AMUabiName,
    pub r#type: u32,
    pub addr: u32,
}

/// `AMUabiLitConst`: a constant with a value. The value is a union of `float32`, `int32` and
/// `bool32`, four words each.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct AMUabiLitConst {
    pub r#type: u32,
    pub addr: u32,
    pub value: [u32; 4],
}

/// `AMUabiConstsInfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct AMUabiConstsInfo {
    pub user_consts_count: u32,
    pub user_consts: *mut AMUabiUserConst,
    pub lit_consts_count: u32,
    pub lit_consts: *mut AMUabiLitConst,
}

/// `AMUcompMacro`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct AMUcompMacro {
    pub name: *const c_char,
    pub value: *const c_char,
}

/// `ctm_config`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct CtmConfig {
    pub struct_size: u32,
    pub float_mode: u32,
    pub statistics: u32,
    pub arena_size_gpu: u32,
    pub arena_size_gpub: u32,
    pub arena_size_sys: u32,
    pub arena_size_sysc: u32,
    pub instruction_limit: u32,
    pub engine: *const c_char,
    pub adapter: *const c_char,
}

/// `ctm_statistics`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub struct CtmStatistics {
    pub launches: u64,
    pub groups: u64,
    pub points: u64,
    pub alu: u64,
    pub out: u64,
    pub tex: u64,
    pub tex_fetching: u64,
    pub fc: u64,
    pub lane_instructions: u64,
    pub fetches: u64,
    pub divergent: u64,
    pub killed: u64,
}

impl CtmStatistics {
    /// Converts an engine's counts.
    pub(super) fn new(launches: u64, counted: &Statistics) -> CtmStatistics {
        let Statistics {
            groups,
            points,
            alu,
            out,
            tex,
            tex_fetching,
            fc,
            lane_instructions,
            fetches,
            divergent,
            killed,
        } = *counted;
        CtmStatistics {
            launches,
            groups,
            points,
            alu,
            out,
            tex,
            tex_fetching,
            fc,
            lane_instructions,
            fetches,
            divergent,
            killed,
        }
    }
}

/// The results of `ctm_status` and `ctm_wait`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// Not complete.
    Pending = 0,
    /// Complete, without an error or a fault.
    Clean = 1,
    /// Complete, with faults.
    Fault = 2,
    /// Ended by an error.
    Error = 3,
    /// Complete, but its report is no longer kept.
    Forgotten = 4,
    /// No such submission or device.
    Refused = 5,
}

/// The code of a constant's kind in `AMUabiDataType`.
pub(super) fn data_type(kind: ConstantKind) -> u32 {
    match kind {
        ConstantKind::Float => 0,
        ConstantKind::Int => 1,
        ConstantKind::Bool => 2,
    }
}

/// The code of a mode in `ctm_config`.
pub(super) fn float_mode(mode: FloatMode) -> u32 {
    match mode {
        FloatMode::Exact => 0,
        FloatMode::Fast => 1,
    }
}

/// C expressions and their values in this library, for a test that compiles the headers.
#[must_use]
pub fn layout() -> Vec<(String, u64)> {
    let mut all = Vec::new();
    macro_rules! structure {
        ($c:literal, $Rust:ty, $($c_name:literal = $name:ident),*) => {
            all.push((format!("sizeof({})", $c), size_of::<$Rust>() as u64));
            $(all.push((
                format!("offsetof({}, {})", $c, $c_name),
                offset_of!($Rust, $name) as u64,
            ));)*
        };
    }
    structure!(
        "AMmanagedDeviceInfo",
        AMmanagedDeviceInfo,
        "arenaSizeGPU" = arena_size_gpu,
        "arenaSizeGPUb" = arena_size_gpub,
        "arenaSizeSYS" = arena_size_sys,
        "arenaSizeSYSc" = arena_size_sysc,
        "baseAddressGPU" = base_address_gpu,
        "baseAddressGPUb" = base_address_gpub,
        "baseAddressSYS" = base_address_sys,
        "baseAddressSYSc" = base_address_sysc,
        "baseAddressCPU" = base_address_cpu,
        "baseAddressCPUc" = base_address_cpuc,
        "spare0" = spare0,
        "spare1" = spare1
    );
    structure!("AMUabiName", AMUabiName, "str" = str, "length" = length);
    structure!("AMUabiUserConst", AMUabiUserConst, "name" = name, "type" = r#type, "addr" = addr);
    structure!("AMUabiLitConst", AMUabiLitConst, "type" = r#type, "addr" = addr, "value" = value);
    structure!(
        "AMUabiConstsInfo",
        AMUabiConstsInfo,
        "userConstsCount" = user_consts_count,
        "userConsts" = user_consts,
        "litConstsCount" = lit_consts_count,
        "litConsts" = lit_consts
    );
    structure!("AMUcompMacro", AMUcompMacro, "name" = name, "value" = value);
    structure!(
        "ctm_config",
        CtmConfig,
        "structSize" = struct_size,
        "floatMode" = float_mode,
        "statistics" = statistics,
        "arenaSizeGPU" = arena_size_gpu,
        "arenaSizeGPUb" = arena_size_gpub,
        "arenaSizeSYS" = arena_size_sys,
        "arenaSizeSYSc" = arena_size_sysc,
        "instructionLimit" = instruction_limit,
        "engine" = engine,
        "adapter" = adapter
    );
    structure!(
        "ctm_statistics",
        CtmStatistics,
        "launches" = launches,
        "groups" = groups,
        "points" = points,
        "alu" = alu,
        "out" = out,
        "tex" = tex,
        "texFetching" = tex_fetching,
        "fc" = fc,
        "laneInstructions" = lane_instructions,
        "fetches" = fetches,
        "divergent" = divergent,
        "killed" = killed
    );
    for (name, status) in [
        ("CTM_STATUS_PENDING", Status::Pending),
        ("CTM_STATUS_CLEAN", Status::Clean),
        ("CTM_STATUS_FAULT", Status::Fault),
        ("CTM_STATUS_ERROR", Status::Error),
        ("CTM_STATUS_FORGOTTEN", Status::Forgotten),
        ("CTM_STATUS_REFUSED", Status::Refused),
    ] {
        all.push((name.to_string(), status as u64));
    }
    for (name, kind) in [
        ("AMU_ABI_FLOAT32", ConstantKind::Float),
        ("AMU_ABI_INT32", ConstantKind::Int),
        ("AMU_ABI_BOOL32", ConstantKind::Bool),
    ] {
        all.push((name.to_string(), u64::from(data_type(kind))));
    }
    for mode in FloatMode::ALL {
        let name = format!("CTM_FLOAT_{}", mode.name().to_uppercase());
        all.push((name, u64::from(float_mode(mode))));
    }
    for format in Format::ALL {
        let name = format!("AMU_CBUF_FLD_FORMAT_{}", format.name());
        all.push((name, u64::from(format.code())));
    }
    for (name, tiling) in [
        ("LINEAR", Tiling::Linear),
        ("TILED0", Tiling::Tiled),
        ("LINEAR_INP_2X2", Tiling::LinearInp2x2),
        ("TILED_INP_2X2", Tiling::TiledInp2x2),
    ] {
        all.push((format!("AMU_CBUF_FLD_TILING_{name}"), u64::from(tiling.code())));
    }
    all
}
