//! Optimized programs of ps_3_0: their results are those of the shader, bit for bit.

// The random shaders and their interpreter, which the tests of `ctm-lang` run line by line.
#[path = "../../../lang/tests/lang/ps_common/mod.rs"]
mod ps_common;

use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_base::text::TextErrors;
use ctm_compiler::{Level, ps};
use ctm_lang::program::{Image, Program};
use ctm_machine::engine::block::Block;
use ctm_prove::{Answer, Set, Setup, Start, prove};
use ps_common::generate::{self, Nesting, OPS};
use ps_common::run::check;
use ps_common::{Dst, Stmt};

const SEED: u64 = 0x7073_6f70;

fn optimized(source: &str, name: &str) -> Result<Image, TextErrors> {
    ps::compile(source, name, Level::Usual)
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
