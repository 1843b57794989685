//! The structs of `launch.wgsl`: a launch and a dispatch as shaders see them.

use crate::abi::surface::SurfaceRecord;
use bytemuck::{Pod, Zeroable};

/// `Launch` of `launch.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[allow(missing_docs)] // The shader's struct documents the fields.
pub struct LaunchRecord {
    pub ops: u32,
    pub flows: u32,
    pub entries: u32,
    pub uniforms: u32,
    pub uniform_count: u32,
    pub uniform_row: u32,
    pub integers: u32,
    pub counts: u32,
    pub floats: u32,
    pub temporaries: u32,
    pub start: u32,
    pub first_op: u32,
    pub booleans: u32,
    pub first_column: u32,
    pub columns: u32,
    pub first_row: u32,
    pub width_log2: u32,
    pub i0: u32,
    pub j0: u32,
    pub i1: u32,
    pub j1: u32,
    pub out_mask: u32,
    pub limit: u32,
    pub test: u32,
    pub value: u32,
    pub flags: u32,
    pub in_place: u32,
    pub initial: u32,
    pub initial_count: u32,
    pub starts: u32,
    pub interpolants: u32,
    pub i_row: u32,
    pub j_row: u32,
    pub own_row: u32,
    pub pad0: u32,
    pub pad1: u32,
    pub output_rows: [[u32; 4]; 4],
    pub range0: [u32; 2],
    pub range1: [u32; 2],
    pub range2: [u32; 2],
    pub number: u32,
    pub output_count: u32,
    pub inputs: [SurfaceRecord; 16],
    pub outputs: [SurfaceRecord; 4],
    pub condition: SurfaceRecord,
}

/// `Dispatch` of `launch.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[allow(missing_docs)]
pub struct DispatchRecord {
    pub first_tile: u32,
    pub table: u32,
    pub log_capacity: u32,
    pub slice: u32,
    pub state_words: u32,
    pub log: u32,
    pub pad0: u32,
    pub pad1: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Offsets of a struct's members as naga lays them out.
    fn members(module: &naga::Module, name: &str) -> (Vec<(String, u32)>, u32) {
        let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name));
        let Some((_, ty)) = found else {
            panic!("no struct {name} in the shader");
        };
        let naga::TypeInner::Struct { members, span } = &ty.inner else {
            panic!("{name} is no struct");
        };
        let members = members
            .iter()
            .map(|member| (member.name.clone().unwrap_or_default(), member.offset))
            .collect();
        (members, *span)
    }

    macro_rules! same_layout {
        ($module:expr, $shader:literal, $Host:ty, $($field:ident)*) => {
            let (members, span) = members($module, $shader);
            let host = vec![$((stringify!($field).to_string(), offset_of!($Host, $field) as u32)),*];
            assert_eq!(members, host, "{}", $shader);
            assert_eq!(span, size_of::<$Host>() as u32, "{}", $shader);
        };
    }

    #[test]
    fn host_and_shader_agree_on_every_offset() {
        let source = crate::variant::Variant::everything().source();
        let module = naga::front::wgsl::parse_str(&source)
            .unwrap_or_else(|error| panic!("{}", error.emit_to_string(&source)));
        same_layout!(&module, "Launch", LaunchRecord,
            ops flows entries uniforms uniform_count uniform_row integers counts floats temporaries
            start first_op booleans first_column columns first_row width_log2 i0 j0 i1 j1 out_mask limit
            test value flags in_place initial initial_count starts interpolants i_row j_row own_row
            pad0 pad1 output_rows range0 range1 range2 number output_count inputs outputs condition);
        same_layout!(&module, "Dispatch", DispatchRecord,
            first_tile table log_capacity slice state_words log pad0 pad1);
        same_layout!(&module, "Surface", SurfaceRecord,
            base pitch width height bits delta pad0 pad1);
    }
}
