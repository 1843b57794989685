//! Kernels in WGSL against those by hand: the same expected results, and how many instructions they have.

use ctm_compiler::{Language, Options, compile};
use ctm_jobs::job::{Job, RunOptions};
use ctm_machine::engine::Stop;
use ctm_machine::engine::block::Block;

/// The source, the program by hand, the job, and the most instructions by those of the program by hand.
const KERNELS: [(&str, &str, &str, f64); 6] = [
    ("saxpy/saxpy.wgsl", "saxpy/saxpy.dpp", "saxpy/saxpy_wgsl.toml", 1.1),
    ("jacobi/jacobi.wgsl", "jacobi/jacobi.dpp", "jacobi/jacobi_wgsl.toml", 1.1),
    ("nbody/nbody.wgsl", "nbody/nbody.dpp", "nbody/nbody_wgsl.toml", 1.1),
    ("sobel/sobel.wgsl", "sobel/sobel.dpp", "sobel/sobel_wgsl.toml", 1.1),
    ("matmul/matmul.wgsl", "matmul/matmul.dpp", "matmul/matmul_64_wgsl.toml", 1.1),
    ("reduce/blocks.wgsl", "reduce/blocks.dpp", "reduce/passes_256_wgsl.toml", 1.3),
];

#[test]
fn kernels_are_right_and_as_short_as_by_hand() {
    let folder = ctm_testing::files::root().join("kernels");
    for (source, hand, job, most) in KERNELS {
        let read =
            |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file of kernels/");
        let compiled = compile(&read(source), source, Language::Wgsl, &Options::default());
        let compiled = compiled.unwrap_or_else(|error| panic!("{error}")).image.words.len();
        let hand = ctm_lang::asm::assemble(&read(hand), hand);
        let hand = hand.unwrap_or_else(|error| panic!("{error}")).words.len();
        println!("{source}: {compiled} instructions, {hand} by hand");
        assert!(compiled as f64 <= most * hand as f64, "{source}: {compiled}, {hand} by hand");
        let job = Job::read(&folder.join(job)).unwrap_or_else(|error| panic!("{error}"));
        let result = job.run(&Block::default(), &RunOptions::default(), &Stop::default());
        let checks = result.and_then(|result| {
            assert!(result.faults.is_empty(), "{source}");
            job.check(&result)
        });
        for check in checks.unwrap_or_else(|error| panic!("{error}")) {
            assert!(check.passed, "{source}: {}", check.text);
        }
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
        ("", "b[id.x + 1u] = 1.0; }", 3, "a store elsewhere than at the point's own place"),
        (
            "@group(0) @binding(1) var<storage, read_write> n: array<atomic<u32>>;\n",
            "atomicAdd(&n[0], 1u); }",
            2,
            "the buffer `n` has a type that is not possible",
        ),
    ] {
        let source = format!("{head}{before}{main}{body}\n");
        let error = compile(&source, "test.wgsl", Language::Wgsl, &Options::default());
        let error = error.expect_err(&source);
        let error = &error.errors()[0];
        assert_eq!((error.line, error.message.as_str()), (line, message), "{source}");
    }
}
