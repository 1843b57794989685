//! Shaders on an engine, and the comparison with the interpreter.

use super::{POISON, Result, Shader, TEXELS, Vec4};
use ctm_base::text::TextErrors;
use ctm_lang::program::{Image, Program};
use ctm_machine::engine::{Engine, NoProgress};
use ctm_machine::launch::{Condition, Constants, Domain, Initial, IntConstant, Launch};
use ctm_machine::memory::{ArenaSizes, Format, Memory, Surface, Tiling, array};
use std::sync::Arc;

/// The bits of v0 to v6 at each point of a row.
pub type Inputs = Vec<[Vec4; 7]>;

/// A compiler: of a text and its name.
pub type Compile = fn(&str, &str) -> std::result::Result<Image, TextErrors>;

/// The launch of a shader, with its memory.
pub fn prepare(shader: &Shader, inputs: &Inputs, compile: Compile) -> (Launch, Memory) {
    let text = shader.text();
    let image = compile(&text, "test.ps").unwrap_or_else(|errors| panic!("{errors}\nin\n{text}"));
    let program = Arc::new(Program::new(image).unwrap_or_else(|errors| panic!("{errors}")));
    let sizes = ArenaSizes { gpu: 1 << 18, sysc: 0, ..ArenaSizes::default() };
    let mut memory = Memory::new(&sizes).expect("memory");
    let mut next = memory.base(ctm_machine::memory::ArenaKind::Gpu);
    let width = inputs.len() as u32;
    let mut surface = |memory: &mut Memory, width: u32, height: u32, format, data: &[u32]| {
        let multiple = ctm_machine::memory::surface::pitch_multiple(Tiling::Linear, format);
        let pitch = width.next_multiple_of(multiple);
        let mut surface = Surface::new(next, pitch, height, Tiling::Linear, format);
        surface.width = width;
        next += (surface.byte_size(pitch, height) as u32).next_multiple_of(2048);
        array::write_array(memory, &surface, width, height, data).expect("data fits");
        surface
    };
    let domain = Domain { i0: 0, j0: 0, i1: width - 1, j1: 0 };
    let mut launch = Launch::new(program.clone(), domain);
    let poison = vec![POISON; 4 * inputs.len()];
    for n in 0..4 {
        let color = surface(&mut memory, width, 1, Format::Float32x4, &poison);
        launch.outputs[n] = Some(color);
    }
    let depth = surface(&mut memory, width, 1, Format::Float32x1, &poison[..inputs.len()]);
    launch.condition = Condition { buffer: Some(depth), ..Condition::default() };
    for (n, texture) in shader.textures.iter().enumerate() {
        let data: Vec<u32> = texture.iter().flatten().copied().collect();
        let texture = surface(&mut memory, TEXELS, TEXELS, Format::Float32x4, &data);
        launch.inputs[n] = Some(texture);
    }
    let mut constants = Constants::default();
    for (n, value) in shader.floats.iter().enumerate() {
        constants.float[n] = *value;
    }
    for (n, (defined, [count, start, step])) in shader.ints.iter().enumerate() {
        if !defined {
            constants.int[n] =
                IntConstant { count: *count as u8, start: *start as u8, step: *step as i8 };
        }
    }
    for (n, (defined, value)) in shader.bools.iter().enumerate() {
        if !defined {
            constants.bool |= u32::from(*value) << n;
        }
    }
    // What the program brings along.
    let own = Constants::with_literals(&program.image().literals);
    for literal in &program.image().literals {
        let n = literal.addr as usize;
        match literal.kind {
            ctm_lang::program::ConstantKind::Float => constants.float[n] = own.float[n],
            ctm_lang::program::ConstantKind::Int => constants.int[n] = own.int[n],
            ctm_lang::program::ConstantKind::Bool => constants.bool |= own.bool & 1 << n,
        }
    }
    launch.constants = Arc::new(constants);
    for n in 0..7 {
        launch.initial.push(Initial {
            temp: 1 + n as u8,
            data: Arc::new(inputs.iter().map(|point| point[n]).collect()),
        });
    }
    (launch, memory)
}

/// The outputs of a run, point by point; `None` where memory still has the poison.
pub fn run(shader: &Shader, inputs: &Inputs, engine: &dyn Engine, compile: Compile) -> Vec<Result> {
    let (launch, mut memory) = prepare(shader, inputs, compile);
    let (text, width) = (shader.text(), inputs.len() as u32);
    let outcome = engine
        .run(&launch, &mut memory, &NoProgress)
        .unwrap_or_else(|error| panic!("{error}\nin\n{text}"));
    assert!(outcome.faults.is_empty(), "{:?}\nin\n{text}", outcome.faults);
    let mut results = vec![Result::default(); inputs.len()];
    let written = |bits: u32| (bits != POISON).then_some(bits);
    for (n, color) in launch.outputs.iter().flatten().enumerate() {
        let data = array::read_array(&memory, color, width, 1).expect("inside");
        for (result, value) in results.iter_mut().zip(data.chunks(4)) {
            result.colors[n] = [0, 1, 2, 3].map(|channel| written(value[channel]));
        }
    }
    if let Some(depth) =
        launch.condition.buffer.filter(|_| launch.program.uses().conditional_output)
    {
        let data = array::read_array(&memory, &depth, width, 1).expect("inside");
        for (result, bits) in results.iter_mut().zip(data) {
            result.depth = written(bits);
        }
    }
    results
}

/// Runs a shader and expects what the interpreter says.
pub fn check(
    shader: &Shader,
    inputs: &Inputs,
    engine: &dyn Engine,
    compile: Compile,
    what: &str,
) -> Vec<Result> {
    let found = run(shader, inputs, engine, compile);
    for (i, found) in found.iter().enumerate() {
        let mut wanted = shader.point([i as u32, 0], inputs[i]);
        wanted.killed = false;
        if *found != wanted {
            panic!(
                "{what}, point {i}\n{}\ninputs {:08x?}\nconstants {:08x?}\nfound  {found:08x?}\nwanted {wanted:08x?}",
                shader.text(),
                inputs[i],
                shader.floats,
            );
        }
    }
    found
}
