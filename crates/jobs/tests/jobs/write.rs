//! The job of a launch: its text, and that it gives what the launch gave.

use crate::job_common::run;
use ctm_jobs::job::Job;
use ctm_jobs::job::write::launch::{self, Expected};
use ctm_lang::asm::assemble;
use ctm_lang::program::Program;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::{Engine, NoProgress};
use ctm_machine::launch::{Constants, Initial, Launch};
use ctm_machine::memory::{ArenaKind, ArenaSizes, Memory};
use std::fs;
use std::sync::Arc;

const TEXT: &str = r#"version = 1
about = "a \"launch\""

[float]
mode = "exact"

[limits]
instructions = 16777216

[[buffer]]
name = "photo"
file = "input_0.npy"
format = "FLOAT32_4"
tiling = "LINEAR"
width = 4
height = 2
pitch = 4
address = 0x00000000
wrap = "clamp"

[[buffer]]
name = "output 0"
file = "output_0.npy"
format = "FLOAT32_4"
tiling = "LINEAR"
width = 4
height = 2
pitch = 4
address = 0x00000800
wrap = "clamp"

[[pass]]
domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 1 }
constants = { float_file = "constants.npy", int = { 1 = [2, 0, 0] }, bool = [0] }
inputs = { 0 = "photo" }
outputs = { 0 = "output 0" }
condition = { test = "ALWAYS", location = "DPP", value = "0x00000000", write = true }
initial = { 3 = "r3.npy" }
mask = "rgba"

[pass.program]
file = "program.elf"

[[expect]]
buffer = "output 0"
file = "expected_output_0.npy"
bits = true
"#;

#[test]
fn a_launch_is_a_job_that_expects_its_results() {
    let source = ".input photo i0\nld r1, photo[r0.rg]\nadd r1, r1, r3\nrep n1\nadd r1, r1, c2\n\
                  endrep\nif b0\nadd r1, r1, c2\nendif\nmov o0, r1\nend\n";
    let program = Program::new(assemble(source, "p.dpp").unwrap()).unwrap();
    let mut launch = Launch::alike(Arc::new(program), 4, 2).unwrap();
    let sizes = ArenaSizes { gpu: 1 << 16, gpub: 0, sys: 0, sysc: 0 };
    let mut memory = Memory::new(&sizes).unwrap();
    let base = memory.base(ArenaKind::Gpu);
    memory.write(base, &1.5f32.to_le_bytes()).unwrap();
    for surface in launch.inputs.iter_mut().chain(&mut launch.outputs).flatten() {
        (surface.base, surface.pitch) = (base + surface.base, 4);
    }
    let mut constants = Constants { bool: 1, ..Constants::default() };
    constants.float[2] = [0.25f32.to_bits(); 4];
    constants.int[1].count = 2;
    launch.constants = Arc::new(constants);
    launch.initial.push(Initial { temp: 3, data: Arc::new(vec![[2f32.to_bits(); 4]; 8]) });
    let mut after = Memory::new(&sizes).unwrap();
    after.write(base, &1.5f32.to_le_bytes()).unwrap();
    let outcome = Block::new().run(&launch, &mut after, &NoProgress).unwrap();
    let expected = Expected { memory: &after, faults: &outcome.faults, shared: None };

    let folder = tempfile::tempdir().unwrap();
    for place in [None, Some(base)] {
        let about = "a \"launch\"";
        let written = launch::write(folder.path(), about, &launch, &memory, place, Some(expected));
        let written = written.unwrap();
        assert!(written.lost.is_empty(), "{:?}", written.lost);
        assert_eq!(fs::read_to_string(&written.job).unwrap(), TEXT);
        let job = Job::read(&written.job).unwrap();
        assert_eq!(job.about, about);
        let checks = job.check(&run(&job, &Block::new())).unwrap();
        assert!(checks.len() == 1 && checks[0].passed, "{checks:?}");
    }
}
