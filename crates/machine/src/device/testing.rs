//! Shared by the tests of this module: an engine that computes nothing, and small programs.

use crate::engine::Checked;
use std::sync::Mutex;

use crate::command::{Builder, EncodeError, Layout, SurfaceFormat};
use crate::engine::{Engine, LaunchError, Outcome, Progress, Statistics};
use crate::launch::Launch;
use crate::memory::{ArenaSizes, Format, Memory, Tiling};
use ctm_isa::isa::{Body, FcOp, Instruction, Swizzle, Type};
use ctm_lang::elf;
use ctm_lang::program::Image;

type Script =
    dyn Fn(usize, &Launch, &mut Memory) -> Result<Outcome, LaunchError> + Send + Sync + 'static;

/// Records launches and runs its script.
pub(super) struct Fake {
    launches: Mutex<Vec<Launch>>,
    prompt: bool,
    script: Box<Script>,
}

impl Fake {
    /// A script that gets each launch with its number, from 0 on, and memory.
    pub(super) fn new(
        script: impl Fn(usize, &Launch, &mut Memory) -> Result<Outcome, LaunchError>
        + Send
        + Sync
        + 'static,
    ) -> Fake {
        Fake { launches: Mutex::default(), prompt: false, script: Box::new(script) }
    }

    /// The same, as an engine that runs small launches in the caller's thread.
    pub(super) fn prompt(self) -> Fake {
        Fake { prompt: true, ..self }
    }

    /// Writes n + 1 to the first element of output 0 in launch n, if it is FLOAT32_1.
    pub(super) fn counting() -> Fake {
        Fake::new(|n, launch, memory| {
            if let Some(output) = launch.outputs[0]
                && output.format == Format::Float32x1
            {
                let _ = memory.write_u32(output.base, n as u32 + 1);
            }
            Ok(outcome(launch))
        })
    }

    pub(super) fn launches(&self) -> Vec<Launch> {
        self.launches.lock().expect("no panic in it").clone()
    }

    pub(super) fn last(&self) -> Launch {
        self.launches().pop().expect("a launch")
    }
}

/// One group of 3 ALU, 1 OUT, 2 fetches and 1 FC: 208 clocks.
pub(super) fn outcome(launch: &Launch) -> Outcome {
    Outcome {
        statistics: launch.statistics.then_some(Statistics {
            groups: 1,
            points: launch.domain.points(),
            alu: 3,
            out: 1,
            tex: 2,
            tex_fetching: 2,
            fc: 1,
            ..Statistics::default()
        }),
        groups: 1,
        ..Outcome::default()
    }
}

impl Engine for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }
    fn is_prompt(&self) -> bool {
        self.prompt
    }
    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        _progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let mut launches = self.launches.lock().expect("no panic in it");
        let n = launches.len();
        launches.push(launch.launch().clone());
        drop(launches);
        (self.script)(n, launch, memory)
    }
}

/// Memory of 64 KiB GPU and 16 KiB SYSc.
pub(super) const SMALL: ArenaSizes = ArenaSizes { gpu: 0x10000, gpub: 0, sys: 0, sysc: 0x4000 };

/// The base of the GPU arena of [`SMALL`]; SYSc follows immediately.
pub(super) const GPU: u32 = 0x1000_0000;
pub(super) const SYS: u32 = GPU + 0x10000;

/// Addresses that the tests use.
pub(super) const PROGRAM: u32 = GPU;
pub(super) const OUTPUT: u32 = GPU + 0x4000;
pub(super) const AREA: u32 = GPU + 0x8000;
/// An address in no arena.
pub(super) const NOWHERE: u32 = 0x4000_0000;

/// OUT of source 0, with everything else idle.
fn instruction(class: Type, constant: Option<u8>) -> Instruction {
    let mut instruction = Instruction::blank(class);
    instruction.common.tex_sem_wait = true;
    if class == Type::Out {
        instruction.common.omask = 7;
    } else {
        instruction.common.wmask = 7;
    }
    if let Body::Alu(alu) = &mut instruction.body {
        alu.units[0].inputs[0].swizzle = [Swizzle::R, Swizzle::G, Swizzle::B];
        alu.units[0].inputs[1].swizzle = [Swizzle::One; 3];
        alu.units[0].inputs[2].swizzle = [Swizzle::Zero; 3];
        if let Some(n) = constant {
            alu.units[0].sources[0].addr = n;
            alu.units[0].sources[0].constant = true;
        }
    }
    instruction
}

fn flow(op: FcOp, int: u8, bool: u8, jump_func: u8) -> Instruction {
    let mut instruction = Instruction::blank(Type::Fc);
    if let Body::Fc(fc) = &mut instruction.body {
        fc.op = op;
        fc.int_addr = int;
        fc.bool_addr = bool;
        fc.jump_func = jump_func;
    }
    instruction
}

fn image(instructions: &[Instruction]) -> Image {
    Image::from_words(instructions.iter().map(Instruction::encode).collect())
}

/// Writes temporary 0 to output 0.
pub(super) fn plain() -> Image {
    let mut image = image(&[instruction(Type::Out, None)]);
    image.outputs = Some(vec![0]);
    image
}

/// Uses c3 at pc 0, integer 2 at pc 1, boolean 1 at pc 2, c5 at pc 3.
pub(super) fn with_constants() -> Image {
    let mut image = image(&[
        instruction(Type::Alu, Some(3)),
        flow(FcOp::Rep, 2, 0, 0),
        flow(FcOp::Jump, 0, 1, 0xaa),
        instruction(Type::Out, Some(5)),
    ]);
    image.outputs = Some(vec![0]);
    image.float_constants = Some(vec![3, 5]);
    image.int_constants = Some(vec![2]);
    image
}

/// Small memory with a program at [`PROGRAM`].
pub(super) fn memory(program: &Image) -> Memory {
    let mut memory = Memory::new(&SMALL).expect("80 KiB");
    memory.write(PROGRAM, &elf::write(program)).expect("it fits");
    memory
}

/// A 16 x 16 FLOAT32_1 surface.
pub(super) fn surface(address: u32) -> SurfaceFormat {
    SurfaceFormat {
        address,
        layout: Layout { pitch: 16, tiling: Tiling::Linear, format: Format::Float32x1 },
        height: 16,
    }
}

/// A buffer built by a closure whose values all fit.
pub(super) fn buffer(
    build: impl FnOnce(&mut Builder) -> Result<&mut Builder, EncodeError>,
) -> Vec<u32> {
    let mut builder = Builder::new();
    build(&mut builder).expect("all values fit");
    builder.into_words()
}

/// Sets the program and output 0, and starts.
pub(super) fn run_once() -> Vec<u32> {
    buffer(|b| {
        Ok(b.append_set_out_fmt(0, surface(OUTPUT))?
            .append_set_inst_fmt(PROGRAM)?
            .append_inv_inst_cache()
            .append_start_program())
    })
}
