//! `memory.wgsl` without a GPU: every variant is valid, and its layout and constants match those of
//! the host.

use super::*;
use ctm_machine::memory::{ArenaSizes, Tiling};
use std::mem::{offset_of, size_of};

/// The functions that `memory.wgsl` takes from `float.wgsl`, with their types only.
const FLOAT: &str = "fn x1k_from_unorm8(v: u32) -> u32 { return v; }\n\
                     fn x1k_from_unorm16(v: u32) -> u32 { return v; }\n\
                     fn x1k_unorm8(v: u32) -> u32 { return v; }\n\
                     fn x1k_unorm16(v: u32) -> u32 { return v; }\n";
const MEMORY: &str = ctm_shaders::MEMORY;
/// Calls every function of `memory.wgsl` that no other function there calls.
const MAIN: &str = "@compute @workgroup_size(1) fn main() {\n\
                    let surface = Surface(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);\n\
                    var ranges: MemRanges;\n\
                    let fetched = mem_fetch(surface, 1, 2, ranges);\n\
                    let element = mem_encode(surface.bits & MEM_FORMAT, fetched.texel, 15u);\n\
                    mem_store_element(fetched.address, element);\n\
                    let writes = mem_writes(0u, 1u) & mem_is_writable(surface, 0u, 0u);\n\
                    mem_store_word(0u, mem_merge(1u, 2u, u32(writes)));\n}\n";

fn module(variant: &MemoryVariant) -> naga::Module {
    let text = [&variant.wgsl(), FLOAT, MEMORY, MAIN].concat();
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{variant:?}: {}", error.emit_to_string(&text)));
    naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::empty(),
    )
    .validate(&module)
    .unwrap_or_else(|error| panic!("{variant:?}: {}", error.emit_to_string(&text)));
    module
}

/// The value of a module-scope constant.
fn constant(module: &naga::Module, name: &str) -> u32 {
    let mut constants = module.constants.iter();
    let (_, constant) = constants
        .find(|(_, constant)| constant.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("no constant {name}"));
    match module.global_expressions[constant.init] {
        naga::Expression::Literal(naga::Literal::U32(value)) => value,
        ref other => panic!("constant {name} is {other:?}"),
    }
}

#[test]
fn every_variant_is_valid() {
    for bits in 0..16u32 {
        for n in 0..4 {
            let flag = |n: u32| bits >> n & 1 != 0;
            module(&MemoryVariant {
                copies: n % 2 != 0,
                tiled: flag(0),
                superfine: flag(1),
                repeat: flag(2),
                integers: flag(3),
                read_words: [1, 2, 4, 4][n],
                write_words: [4, 1, 2, 4][n],
            });
        }
    }
}

#[test]
fn constants_and_layout_are_those_of_the_host() {
    let module = module(&MemoryVariant::ALL);
    for format in Format::ALL {
        let code = format.code();
        assert_eq!(constant(&module, &format!("MEM_{}", format.name())), code, "{format}");
        assert_eq!(
            constant(&module, "MEM_BYTES_LOG2") >> (3 * code) & 7,
            format.bytes_log2(),
            "{format}"
        );
        assert_eq!(
            constant(&module, "MEM_CHANNELS") >> (3 * code) & 7,
            format.channels(),
            "{format}"
        );
        for (name, bytes) in [("MEM_UNORM8", 1), ("MEM_UNORM16", 2)] {
            assert_eq!(
                constant(&module, name) >> code & 1 != 0,
                format.bytes_per_channel() == bytes,
                "{format}"
            );
        }
    }
    for (name, value) in [
        ("MEM_FORMAT", FORMAT),
        ("MEM_TILED", TILED),
        ("MEM_INP_2X2", INP_2X2),
        ("MEM_REPEAT", REPEAT),
        ("MEM_PRESENT", PRESENT),
    ] {
        assert_eq!(constant(&module, name), value, "{name}");
    }
    let mut types = module.types.iter();
    let (_, surface) =
        types.find(|(_, t)| t.name.as_deref() == Some("Surface")).expect("struct Surface");
    let naga::TypeInner::Struct { members, span } = &surface.inner else {
        panic!("Surface is no struct");
    };
    assert_eq!(*span as usize, size_of::<SurfaceRecord>());
    let fields: Vec<(&str, usize)> = members
        .iter()
        .map(|member| (member.name.as_deref().unwrap_or(""), member.offset as usize))
        .collect();
    assert_eq!(
        fields,
        [
            ("base", offset_of!(SurfaceRecord, base)),
            ("pitch", offset_of!(SurfaceRecord, pitch)),
            ("width", offset_of!(SurfaceRecord, width)),
            ("height", offset_of!(SurfaceRecord, height)),
            ("bits", offset_of!(SurfaceRecord, bits)),
            ("delta", offset_of!(SurfaceRecord, delta)),
            ("pad0", offset_of!(SurfaceRecord, pad0)),
            ("pad1", offset_of!(SurfaceRecord, pad1)),
        ]
    );
}

#[test]
fn records_and_ranges() {
    let mut surface = Surface::new(0x800, 16, 9, Tiling::TiledInp2x2, Format::Float32x1);
    surface.width = 7;
    surface.wrap = Wrap::Repeat;
    let record = SurfaceRecord::new(&surface, 5);
    assert_eq!(bytemuck::cast::<_, [u32; 8]>(record), [0x800, 16, 7, 9, 0x8000_0072, 5, 0, 0]);
    let sizes = ArenaSizes { gpu: 4097, gpub: 0, sys: 2, sysc: 3 };
    let memory = Memory::new(&sizes).expect("9 KiB");
    assert_eq!(ranges(&memory), [[0x1000_0000, 0x1000_1000], [0x1000_1800, 0x1000_1802], [1, 0]]);
}

#[test]
fn variants_need_what_their_surfaces_need() {
    let mut variant = MemoryVariant::default();
    variant.read(&Surface::new(0, 8, 8, Tiling::Tiled, Format::Float32x2));
    variant.write(&Surface::new(0, 8, 8, Tiling::Linear, Format::Float32x4));
    let expected =
        MemoryVariant { tiled: true, read_words: 2, write_words: 4, ..MemoryVariant::default() };
    assert_eq!(variant, expected);
    let mut superfine = Surface::new(0, 8, 8, Tiling::LinearInp2x2, Format::Uint16x1);
    superfine.wrap = Wrap::Repeat;
    variant.read(&superfine);
    assert!(variant.superfine && variant.repeat && variant.integers);
}
