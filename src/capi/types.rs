//! The structures and constants of the headers.

use std::ffi::{c_char, c_void};
use std::mem::{offset_of, size_of};

use crate::engine::Statistics;
use crate::launch::FloatMode;
use crate::memory::{Format, Tiling};
use crate::program::ConstantKind;

/// Declares the structures of the headers. A row `member "cMember": Type` has the names in Rust and
/// in C. `STRUCTURES` lists the sizes and offsets as C expressions with their values.
macro_rules! structures {
    ($($(#[$meta:meta])* $Struct:ident $c:literal { $($name:ident $c_name:literal: $Type:ty,)* })*) => {
        $(
            $(#[$meta])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            #[allow(missing_docs)] // the header's names
            pub struct $Struct { $(pub $name: $Type,)* }
        )*
        const STRUCTURES: &[(&str, usize)] = &[$(
            (concat!("sizeof(", $c, ")"), size_of::<$Struct>()),
            $((concat!("offsetof(", $c, ", ", $c_name, ")"), offset_of!($Struct, $name)),)*
        )*];
    };
}

structures! {
    /// `AMmanagedDeviceInfo`: sizes in bytes, device addresses, host pointers.
    AMmanagedDeviceInfo "AMmanagedDeviceInfo" {
        arena_size_gpu "arenaSizeGPU": u32,
        arena_size_gpub "arenaSizeGPUb": u32,
        arena_size_sys "arenaSizeSYS": u32,
        arena_size_sysc "arenaSizeSYSc": u32,
        base_address_gpu "baseAddressGPU": u32,
        base_address_gpub "baseAddressGPUb": u32,
        base_address_sys "baseAddressSYS": u32,
        base_address_sysc "baseAddressSYSc": u32,
        base_address_cpu "baseAddressCPU": *mut c_void,
        base_address_cpuc "baseAddressCPUc": *mut c_void,
        spare0 "spare0": u32,
        spare1 "spare1": u32,
    }
    /// `AMUabiName`.
    AMUabiName "AMUabiName" {
        str "str": *const c_char,
        length "length": u32,
    }
    /// `AMUabiUserConst`: a constant that the source names.
    AMUabiUserConst "AMUabiUserConst" {
        name "name": AMUabiName,
        r#type "type": u32,
        addr "addr": u32,
    }
    /// `AMUabiLitConst`: a constant with a value. The value is a union of `float32`, `int32` and
    /// `bool32`, four words each.
    AMUabiLitConst "AMUabiLitConst" {
        r#type "type": u32,
        addr "addr": u32,
        value "value": [u32; 4],
    }
    /// `AMUabiConstsInfo`.
    AMUabiConstsInfo "AMUabiConstsInfo" {
        user_consts_count "userConstsCount": u32,
        user_consts "userConsts": *mut AMUabiUserConst,
        lit_consts_count "litConstsCount": u32,
        lit_consts "litConsts": *mut AMUabiLitConst,
    }
    /// `AMUcompMacro`.
    AMUcompMacro "AMUcompMacro" {
        name "name": *const c_char,
        value "value": *const c_char,
    }
    /// `ctm_config`.
    CtmConfig "ctm_config" {
        struct_size "structSize": u32,
        float_mode "floatMode": u32,
        statistics "statistics": u32,
        arena_size_gpu "arenaSizeGPU": u32,
        arena_size_gpub "arenaSizeGPUb": u32,
        arena_size_sys "arenaSizeSYS": u32,
        arena_size_sysc "arenaSizeSYSc": u32,
        instruction_limit "instructionLimit": u32,
        engine "engine": *const c_char,
        adapter "adapter": *const c_char,
        coherence "coherence": u32,
    }
    /// `ctm_statistics`.
    #[derive(PartialEq, Eq, Default)]
    CtmStatistics "ctm_statistics" {
        launches "launches": u64,
        groups "groups": u64,
        points "points": u64,
        alu "alu": u64,
        out "out": u64,
        tex "tex": u64,
        tex_fetching "texFetching": u64,
        fc "fc": u64,
        lane_instructions "laneInstructions": u64,
        fetches "fetches": u64,
        divergent "divergent": u64,
        killed "killed": u64,
    }
}

impl CtmStatistics {
    /// Converts an engine's counts.
    pub(super) fn new(launches: u64, counted: &Statistics) -> CtmStatistics {
        macro_rules! copied {
            ($($name:ident)*) => {{
                let Statistics { $($name,)* .. } = *counted;
                CtmStatistics { launches, $($name),* }
            }};
        }
        copied!(groups points alu out tex tex_fetching fc lane_instructions fetches divergent killed)
    }
}

ctm_base::named! {
    /// The results of `ctm_status` and `ctm_wait`, in the order of their codes.
    Status {
        Pending "PENDING": "Not complete.";
        Clean "CLEAN": "Complete, without an error or a fault.";
        Fault "FAULT": "Complete, with faults.";
        Error "ERROR": "Ended by an error.";
        Forgotten "FORGOTTEN": "Complete, but its report is no longer kept.";
        Refused "REFUSED": "No such submission or device.";
    }
}

/// C expressions and their values in this library, for a test that compiles the headers.
#[must_use]
pub fn layout() -> Vec<(String, u64)> {
    let structures = STRUCTURES.iter().map(|&(name, value)| (name.to_string(), value as u64));
    let mut all: Vec<(String, u64)> = structures.collect();
    for status in Status::ALL {
        all.push((format!("CTM_STATUS_{status}"), status as u64));
    }
    for kind in ConstantKind::ALL {
        all.push((format!("AMU_ABI_{}32", kind.name().to_uppercase()), kind as u64));
    }
    for mode in FloatMode::ALL {
        all.push((format!("CTM_FLOAT_{}", mode.name().to_uppercase()), mode as u64));
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
