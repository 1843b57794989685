//! Optimized programs of ps_3_0: their results are those of the shader, bit for bit.

// The random shaders and their interpreter, which the tests of `ctm-lang` run line by line.
#[path = "../../../lang/tests/lang/ps_common/mod.rs"]
mod ps_common;

use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_base::text::TextErrors;
use ctm_compiler::{Language, Options, compile};
use ctm_isa::float;
use ctm_lang::program::{Image, Program, ValuePlace};
use ctm_machine::engine::Checked;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::{GroupRun, GroupState};
use ctm_prove::{Answer, Set, Setup, Start, prove};
use ps_common::generate::{self, Nesting, OPS};
use ps_common::run::{check, prepare};
use ps_common::{Dst, Shader, Stmt, Vec4};
use std::collections::HashMap;

const SEED: u64 = 0x7073_6f70;

fn optimized(source: &str, name: &str) -> Result<Image, TextErrors> {
    compile(source, name, Language::Ps, &Options::default()).map(|compiled| compiled.image)
}

/// The numbers of instructions of a shader, line by line and optimized.
fn lengths(source: &str) -> [usize; 2] {
    let own = ctm_lang::ps::compile(source, "test.ps").expect("a shader").words.len();
    [own, optimized(source, "test.ps").expect("a shader").words.len()]
}

#[test]
fn every_instruction_keeps_its_bits() {
    let engine = Block::new();
    let (mut own, mut shorter) = (0, 0);
    for &op in OPS {
        for n in 0..30 {
            let hash = op.0.bytes().fold(0, |hash, b| hash * 31 + u64::from(b));
            let mut random = Random::new(&[SEED, hash, n]);
            let mut shader = generate::empty(&mut random);
            shader.main = generate::prologue();
            for _ in 0..1 + n % 4 {
                let gates = if n % 3 == 0 { 30 } else { 0 };
                let operation = generate::operation(&mut random, op, Nesting::default(), gates);
                // The conditional output keeps a shader line by line.
                if !matches!(operation, Stmt::Op { dst: Dst::Depth, .. }) {
                    shader.main.push(operation);
                }
            }
            shader.main.extend(generate::epilogue());
            let inputs = generate::inputs(&mut random, 24);
            check(&shader, &inputs, &engine, optimized, &format!("{} {n}, seed {SEED:#x}", op.0));
            let [before, after] = lengths(&shader.text());
            own += before;
            shorter += after;
        }
    }
    println!("{own} instructions line by line, {shorter} optimized");
    assert!(shorter * 5 < own * 3, "{shorter} of {own}");
}

#[test]
fn shaders_with_branches_and_loops_keep_their_bits() {
    let engine = Block::new();
    let mut fewer = 0;
    for n in 0..600 {
        let mut random = Random::new(&[SEED, n]);
        let shader = generate::shader(&mut random);
        let inputs = generate::inputs(&mut random, 70);
        check(&shader, &inputs, &engine, optimized, &format!("shader {n}, seed {SEED:#x}"));
        let [own, optimized] = lengths(&shader.text());
        fewer += usize::from(optimized < own);
    }
    println!("seed {SEED:#x}: {fewer} of 600 are shorter");
    assert!(fewer > 100, "{fewer} of 600");
}

/// A shader of its first statements.
fn beginning(shader: &Shader, count: usize) -> Shader {
    Shader { main: shader.main[..count].to_vec(), subs: Vec::new(), ..shader.clone() }
}

/// What registers of a shader hold after a statement, by the interpreter: r0 to r3 go to the outputs then.
struct After {
    outputs: ps_common::Result,
    temporaries: ps_common::Result,
}

impl After {
    fn of(shader: &Shader, count: usize, i: u32, inputs: &[Vec4; 7]) -> After {
        let mut shader = beginning(shader, count);
        let outputs = shader.point([i, 0], *inputs);
        shader.main.extend(generate::epilogue());
        After { outputs, temporaries: shader.point([i, 0], *inputs) }
    }

    fn value(&self, file: &str, n: usize, component: usize) -> Option<u32> {
        match file {
            "r" => self.temporaries.colors.get(n)?[component],
            "oC" => self.outputs.colors[n][component],
            _ => None,
        }
    }
}

/// Before each instruction, each place of a register holds what the interpreter has in that register: at the start, or
/// after the statement that ends at the line.
#[test]
fn registers_are_at_their_places() {
    let (mut compared, mut joined) = (0, 0);
    for n in 0..150 {
        let mut random = Random::new(&[SEED, 1, n]);
        let shader = generate::shader(&mut random);
        let inputs = generate::inputs(&mut random, 8);
        let (launch, memory) = prepare(&shader, &inputs, optimized);
        let map = launch.program.image().source.get().expect("a source");
        let last_line = |count| beginning(&shader, count).text().lines().count() as u32;
        let ends = (1..=shader.main.len()).map(|count| (last_line(count), count));
        let ends: HashMap<u32, usize> = ends.collect();
        let mut known: HashMap<(u32, u32), After> = HashMap::new();
        let mut look = |group: &GroupState| {
            let runs = group.active() & group.covered();
            for slot in (0..64).filter(|slot| runs >> slot & 1 != 0) {
                let (i, _) = group.point(slot);
                let all = map.variables.iter();
                let all =
                    all.flat_map(|one| one.at(group.pc()).map(move |location| (one, location)));
                for (variable, location) in all {
                    let end = variable.name.find(|c: char| c.is_ascii_digit()).expect("a number");
                    let (file, number) = variable.name.split_at(end);
                    let number: usize = number.parse().expect("a number");
                    let component = location.component as usize;
                    let expected = match (location.line, ends.get(&location.line)) {
                        (0, _) if file == "v" => Some(inputs[i as usize][number][component]),
                        (0, _) => {
                            let own = shader.defs.iter().find(|(n, _)| *n as usize == number);
                            let value = own.map_or(shader.floats[number], |(_, value)| *value);
                            Some(value[component])
                        }
                        (line, Some(count)) => {
                            let new = || After::of(&shader, *count, i, &inputs[i as usize]);
                            let after = known.entry((line, i)).or_insert_with(new);
                            after.value(file, number, component)
                        }
                        // Inside a loop.
                        (_, None) => None,
                    };
                    let Some(expected) = expected else { continue };
                    let found = location.value(|place| match place {
                        ValuePlace::Temp(n, channel) => {
                            group.temp(slot, n.into())[channel as usize]
                        }
                        ValuePlace::Constant(n, channel) => {
                            launch.constants.float[n as usize][channel as usize]
                        }
                        ValuePlace::Literal(bits) => bits,
                    });
                    let same = found == expected || float::is_nan(found) && float::is_nan(expected);
                    let (pc, text) = (group.pc(), shader.text());
                    assert!(
                        same,
                        "shader {n}, point {i}, pc {pc}, {}: {found:08x} for {expected:08x}, {location:?}\n{text}",
                        variable.name
                    );
                    compared += 1;
                    joined += u32::from(location.line > 0 && location.nth.is_none());
                }
            }
        };
        let checked = Checked::new(&launch).expect("a launch");
        let mut run = GroupRun::new(&checked, &memory, 0).expect("a group");
        look(run.moment().group);
        let done = run.advance(&checked, &memory, Stop::never(), None, &mut |moment| {
            if moment.end.is_none() {
                look(moment.group);
            }
            true
        });
        done.expect("it runs");
    }
    println!("{compared} values compared, {joined} of them after branches and loops");
    assert!(compared > 50_000 && joined > 500, "{compared}, {joined}");
}

/// A loop of 64 rounds as a compiler of HLSL without an optimizer writes it.
const MANDELBROT: &str = include_str!("mandelbrot.ps");

/// The optimized program is proved equal to the one line by line, for all inputs.
#[test]
fn a_long_loop_is_a_third_and_proved() {
    let own = ctm_lang::ps::compile(MANDELBROT, "mandelbrot.ps").expect("a shader");
    let shorter = optimized(MANDELBROT, "mandelbrot.ps").expect("a shader");
    assert_eq!((own.words.len(), shorter.words.len()), (35, 13));
    let [a, b] = [own, shorter].map(|image| Program::new(image).expect("a program"));
    let setup = |program| {
        let start = (0..32).map(|temp| (temp, Start::Data(temp.into()))).collect();
        Setup { start, ..Setup::of(program) }
    };
    let options = ctm_prove::Options { set: Set::Bits, ..ctm_prove::Options::default() };
    let answer = prove([&a, &b], [&setup(&a), &setup(&b)], &options, Stop::never());
    assert!(matches!(answer, Answer::Proved), "{answer:?}");
}
