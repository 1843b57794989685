//! The time to turn a program into a shader that naga accepts.
//!
//! `cargo bench --bench translate`. Nothing runs, so no adapter is needed.

use ctm::asm::assemble;
use ctm::bench::Figures;
use ctm::engine::Checked;
use ctm::engine::gpu::shader::translate::{Options, State, translate};
use ctm::launch::{Constants, Domain, FloatMode, Launch};
use ctm::lower::lower;
use ctm::memory::{Format, Surface, Tiling};
use ctm::program::Program;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

/// A program of 300 instructions: fetches, arithmetic of both units, branches and loops.
fn source() -> String {
    let mut text = String::from("mov r9, r0\n");
    for block in 0..14 {
        let (a, b, c) = (1 + block % 7, 1 + (block + 2) % 7, 1 + (block + 5) % 7);
        let _ = write!(
            text,
            "ld r{a}, i{}[r9.rg]\nmad r{b}, r{a}, c{block}, r{b}\nmul r{c}.rgb, r{a}, r{b} | rcp r{c}.a, r{b}.a\n\
             dp4 r{a}.r, r{b}, r{c}\ncmp r{b}, r{a}, r{c}, r{b}\nmad/2.sat r{c}, r{b}, r{a}, -r{c}\n\
             sub alu_result >= 0, r{a}.r, 3\nif alu_result\nadd r{a}, r{a}, r{b}\n\
             rsq r{a}.a, r{a}.a\nelse\nmax r{a}, r{a}, r{c}\nmin r{b}, r{b}, c{block}\nendif\n\
             rep n{}\nmad r{c}, r{c}, r{a}, r{b}\nsub alu_result < 0, r{c}.g, 9\nbreak if alu_result\n\
             frc r{b}, r{c}\nadd r9.r, r9.r, 1\nendrep\n",
            block % 3,
            block % 4
        );
    }
    text += "mad o0, r1, r2, r3\nmov o1, r4\nadd o2, r5, r6\nmov o3, r7\nend\n";
    text
}

fn launch(program: Arc<Program>) -> Launch {
    let domain = Domain { i0: 0, j0: 0, i1: 255, j1: 255 };
    let mut launch = Launch::new(program.clone(), domain);
    let mut constants = Constants::with_literals(&program.image().literals);
    for constant in &mut constants.int[..4] {
        constant.count = 20;
    }
    launch.constants = Arc::new(constants);
    let mut base = 0;
    let mut surface = || {
        base += 0x10_0000;
        Some(Surface::new(base, 256, 256, Tiling::Linear, Format::Float32x4))
    };
    for n in 0..3 {
        launch.inputs[n] = surface();
    }
    for output in &mut launch.outputs {
        *output = surface();
    }
    launch
}

fn main() {
    // `cargo test --benches` runs this too; measure only with --bench.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let source = source();
    let image = assemble(&source, "bench").unwrap_or_else(|errors| panic!("{errors}"));
    let program = Arc::new(Program::new(image).unwrap_or_else(|errors| panic!("{errors}")));
    let launch = launch(program.clone());
    let checked = Checked::new(&launch).unwrap_or_else(|error| panic!("{error}"));
    let mut times = [const { Vec::new() }; 4];
    let mut size = 0;
    for _ in 0..20 {
        let start = Instant::now();
        let lowered = lower(&program, 0, FloatMode::Exact);
        let lowering = start.elapsed();
        let state = State::of(&checked, &[0..1 << 32], &Options::default());
        let state = state.unwrap_or_else(|reason| panic!("{reason}"));
        let translation = translate(&program, &lowered, &state);
        let translation = translation.unwrap_or_else(|reason| panic!("{reason}"));
        let translating = start.elapsed() - lowering;
        let module = naga::front::wgsl::parse_str(&translation.wgsl)
            .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&translation.wgsl)));
        naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::default(),
        )
        .validate(&module)
        .unwrap_or_else(|e| panic!("{}", e.emit_to_string(&translation.wgsl)));
        let all = start.elapsed();
        size = translation.wgsl.len();
        let parts = [lowering, translating, all - lowering - translating, all];
        for (times, part) in times.iter_mut().zip(parts) {
            times.push(part);
        }
    }
    println!("{} instructions, {size} bytes of WGSL", program.instructions().len());
    for (name, times) in ["lowering", "translation", "naga", "together"].into_iter().zip(times) {
        println!("{name:<12} {:8.2} ms", Figures::new(times).best().as_secs_f64() * 1e3);
    }
}
