//! Kernels in WGSL against those by hand: the same expected results, and how many instructions they have.

use ctm_compiler::{Language, Options, compile};
use ctm_jobs::job::{Job, RunOptions};
use ctm_machine::engine::Stop;
use ctm_machine::engine::block::Block;

/// The job in WGSL, that of the program by hand, and the most instructions of all points by those of the program by hand.
const KERNELS: [(&str, &str, f64); 8] = [
    ("saxpy/saxpy_wgsl.toml", "saxpy/saxpy.toml", 1.1),
    ("jacobi/jacobi_wgsl.toml", "jacobi/jacobi.toml", 1.1),
    ("nbody/nbody_wgsl.toml", "nbody/nbody.toml", 1.1),
    ("sobel/sobel_wgsl.toml", "sobel/sobel.toml", 1.1),
    ("matmul/matmul_64_wgsl.toml", "matmul/matmul_64.toml", 1.1),
    ("reduce/passes_256_wgsl.toml", "reduce/passes_256.toml", 1.1),
    ("scatter/scatter_wgsl.toml", "scatter/scatter.toml", 1.6),
    ("scatter/scatter_bits_wgsl.toml", "scatter/scatter_bits.toml", 1.6),
];

/// Runs a job. Returns the instructions of all points, and the length of the last program.
fn instructions(name: &str) -> (u64, usize) {
    let path = ctm_testing::files::root().join("kernels").join(name);
    let job = Job::read(&path).unwrap_or_else(|error| panic!("{error}"));
    let options = RunOptions { statistics: true, ..RunOptions::default() };
    let result = job.run(&Block::default(), &options, &Stop::default());
    let result = result.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(result.faults.is_empty(), "{name}");
    for check in job.check(&result).unwrap_or_else(|error| panic!("{name}: {error}")) {
        assert!(check.passed, "{name}: {}", check.text);
    }
    let statistics = result.statistics.expect("counters");
    let last = job.passes.last().expect("a pass");
    (statistics.lane_instructions, last.program.instructions().len())
}

#[test]
fn kernels_are_right_and_run_as_few_instructions_as_by_hand() {
    for (source, hand, most) in KERNELS {
        let ((ours, length), (others, by_hand)) = (instructions(source), instructions(hand));
        let ratio = ours as f64 / others as f64;
        println!("{source}: {ratio:.3} of the instructions by hand; {length} and {by_hand} long");
        assert!(ratio <= most, "{source}: {ours} instructions run, {others} by hand");
    }
}

/// The places and values that points store, under conditions and in loops, are those of the source.
#[test]
fn stores_go_where_they_should() {
    const SIZE: usize = 8;
    type Writes = fn(usize, usize) -> Vec<(usize, f32)>;
    let kernels: [(&str, Writes); 7] = [
        ("b[63u - (id.y * 8u + id.x)] = f32(id.x);", |x, y| vec![(63 - 8 * y - x, x as f32)]),
        ("b[id.x * 8u + id.y] = -f32(id.x); b[0] = 3.5;", |x, y| {
            vec![(8 * x + y, -(x as f32)), (0, 3.5)]
        }),
        ("if id.x > 3u { b[id.y] = 1.0; } else { b[id.y + 8u] = 2.0; }", |x, y| {
            vec![if x > 3 { (y, 1.0) } else { (y + 8, 2.0) }]
        }),
        ("if id.x + id.y > 5u { return; } b[id.x * 8u + id.y] = 4.0;", |x, y| {
            if x + y > 5 { Vec::new() } else { vec![(8 * x + y, 4.0)] }
        }),
        (
            "for (var i = 0u; i < id.x; i++) { if i == 5u { break; } b[i * 8u + id.y] = f32(i); }",
            |x, y| (0..x.min(5)).map(|i| (8 * i + y, i as f32)).collect(),
        ),
        (
            "for (var i = 0u; i < 3u; i++) { if (id.x + i) % 2u == 1u { continue; } b[id.x * 8u + i] = f32(i) + 0.5; }",
            |x, _| {
                (0..3).filter(|i| (x + i) % 2 == 0).map(|i| (8 * x + i, i as f32 + 0.5)).collect()
            },
        ),
        ("textureStore(b, vec2u(7u - id.x, id.y), vec4f(f32(id.x), 9.0, 9.0, 9.0));", |x, y| {
            vec![(8 * y + 7 - x, x as f32)]
        }),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (body, writes) in kernels {
        let b = if body.starts_with("textureStore") {
            "var b: texture_storage_2d<r32float, write>;"
        } else {
            "var<storage, read_write> b: array<f32>;"
        };
        let source = format!(
            "@group(0) @binding(0) {b}\n@compute @workgroup_size(8, 8)\n\
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}\n"
        );
        std::fs::write(folder.path().join("test.wgsl"), &source).expect("a file");
        let job = "version = 1\n[program]\nfile = \"test.wgsl\"\n[domain]\ni0 = 0\nj0 = 0\ni1 = 7\nj1 = 7\n\
                   [[output]]\nslot = 0\nformat = \"FLOAT32_1\"\n";
        let job = Job::parse(job, &folder.path().join("test.toml"));
        let job = job.unwrap_or_else(|error| panic!("{source}{error}"));
        let result = job.run(&Block::default(), &RunOptions::default(), &Stop::default());
        let result = result.expect("a result");
        assert!(result.faults.is_empty(), "{source}");
        let mut wanted = [0.0; SIZE * SIZE];
        for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
            for (at, value) in writes(x, y) {
                wanted[at] = value;
            }
        }
        let raster = result.raster(0).expect("an output");
        let found: Vec<f32> = raster.units.iter().map(|bits| f32::from_bits(*bits)).collect();
        assert_eq!(found, wanted, "{source}");
    }
}

#[test]
fn a_width_that_is_not_the_surface_s_has_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "@group(0) @binding(0) var<uniform> width: u32;\n\
        @group(0) @binding(1) var<storage, read_write> b: array<f32>;\n@compute @workgroup_size(8, 8)\n\
        fn main(@builtin(global_invocation_id) id: vec3<u32>) { b[id.y * width + id.x] = 1.0; }\n";
    std::fs::write(folder.path().join("test.wgsl"), source).expect("a file");
    for (width, notes) in [(8, 0), (7, 1)] {
        let job = format!(
            "version = 1\n[program]\nfile = \"test.wgsl\"\n[domain]\ni0 = 0\nj0 = 0\ni1 = 7\nj1 = 7\n\
             [uniforms]\nwidth = {width}\n[[output]]\nslot = 0\nformat = \"FLOAT32_1\"\n"
        );
        let job = Job::parse(&job, &folder.path().join("test.toml"));
        let job = job.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(job.warnings.len(), notes, "{:?}", job.warnings);
        let said = |note: &String| note.contains("rows of 7 elements, and textureSize(b).r is 8");
        assert!(job.warnings.iter().all(said), "{:?}", job.warnings);
    }
}

#[test]
fn what_kernels_cannot_do_is_refused_with_its_line() {
    let head = "@group(0) @binding(0) var<storage, read_write> b: array<f32>;\n";
    let main =
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n";
    for (before, body, line, message) in [
        (
            "var<workgroup> w: f32;\n",
            "w = 1.0; }",
            2,
            "the variable `w` is in workgroup memory: the points of a launch share none",
        ),
        (
            "",
            "workgroupBarrier(); }",
            3,
            "the machine has no barriers: the points of a launch share no memory",
        ),
        (
            "@group(0) @binding(1) var<storage, read_write> c: array<f32>;\n",
            "c[id.x] = 1.0; b[id.x + 1u] = 1.0; }",
            4,
            "a store elsewhere than at the point's own place",
        ),
        (
            "@group(0) @binding(0) var<storage, read_write> b: array<vec4f>;\n",
            "b[id.x + 1u].y = 1.0; }",
            3,
            "a store elsewhere than at the point's own place",
        ),
        (
            "",
            "b[id.x + 1u] = b[id.x]; }",
            3,
            "a buffer that is stored to at any place cannot be read",
        ),
        (
            "@group(0) @binding(1) var<storage, read_write> n: array<atomic<u32>>;\n",
            "atomicAdd(&n[0], 1u); }",
            2,
            "the buffer `n` has a type that is not possible",
        ),
    ] {
        // A case with a variable `b` of its own needs no other.
        let head = if before.contains("> b:") { "" } else { head };
        let source = format!("{head}{before}{main}{body}\n");
        let error = compile(&source, "test.wgsl", Language::Wgsl, &Options::default());
        let error = error.expect_err(&source);
        let error = &error.errors()[0];
        assert_eq!((error.line, error.message.as_str()), (line, message), "{source}");
    }
}
