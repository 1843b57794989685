//! Random shaders.

use super::run::Inputs;
use super::{Cond, Dst, Gate, Reg, Shader, Src, Stmt, TEXELS, Vec4};
use ctm_base::random::Random;
use ctm_isa::float;

/// The kinds of an instruction's operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Vectors(usize),
    /// Vectors, then one number.
    ThenScalar(usize),
    Scalars(usize),
    /// A vector and a matrix.
    Matrix,
}

/// Arithmetic instructions, their operands and the channels that they can write.
pub const OPS: &[(&str, Shape, u8)] = &[
    ("mov", Shape::Vectors(1), 15),
    ("abs", Shape::Vectors(1), 15),
    ("add", Shape::Vectors(2), 15),
    ("sub", Shape::Vectors(2), 15),
    ("mul", Shape::Vectors(2), 15),
    ("mad", Shape::Vectors(3), 15),
    ("min", Shape::Vectors(2), 15),
    ("max", Shape::Vectors(2), 15),
    ("cmp", Shape::Vectors(3), 15),
    ("lrp", Shape::Vectors(3), 15),
    ("frc", Shape::Vectors(1), 15),
    ("dp2add", Shape::ThenScalar(2), 15),
    ("dp3", Shape::Vectors(2), 15),
    ("dp4", Shape::Vectors(2), 15),
    ("rcp", Shape::Scalars(1), 15),
    ("rsq", Shape::Scalars(1), 15),
    ("exp", Shape::Scalars(1), 15),
    ("log", Shape::Scalars(1), 15),
    ("pow", Shape::Scalars(2), 15),
    ("nrm", Shape::Vectors(1), 15),
    ("crs", Shape::Vectors(2), 7),
    ("sincos", Shape::Scalars(1), 3),
    ("m3x2", Shape::Matrix, 3),
    ("m3x3", Shape::Matrix, 7),
    ("m3x4", Shape::Matrix, 15),
    ("m4x3", Shape::Matrix, 7),
    ("m4x4", Shape::Matrix, 15),
];

pub const COMPARES: [&str; 6] = ["gt", "lt", "ge", "le", "eq", "ne"];

/// Constants c0 to c11 come from the client, c12 to c19 from the shader, c20 to c27 again.
const CONSTANTS: u32 = 28;
const DEFINED: std::ops::Range<u32> = 12..20;

/// Numbers that are mostly ordinary.
pub fn value(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.hard(),
        1 => (random.range(0, 16) as f32 / 4.0 - 2.0).to_bits(),
        _ => ((random.bits() as i32) as f32 / 0x2000_0000 as f32).to_bits(),
    }
}

fn vector(random: &mut Random) -> Vec4 {
    let first = value(random);
    [
        first,
        match random.below(3) {
            0 => random.related(first),
            _ => value(random),
        },
        value(random),
        value(random),
    ]
}

pub fn inputs(random: &mut Random, points: usize) -> Inputs {
    (0..points)
        .map(|_| {
            let mut point = [[0; 4]; 7];
            for input in &mut point {
                *input = vector(random);
            }
            if random.chance(40) {
                let first = point[0];
                point[1] = first.map(|bits| random.related(bits));
            }
            point
        })
        .collect()
}

/// Values that `def` can write, often those that cost no register.
fn defined(random: &mut Random) -> u32 {
    const CHEAP: [f32; 12] =
        [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -0.25, 480.0, 0.001953125, 0.3, -3.0];
    match random.below(5) {
        0 => {
            let bits = random.hard();
            // `def` has no words for other NaNs.
            if float::is_nan(bits) { float::CANONICAL_NAN } else { bits }
        }
        _ => random.pick(&CHEAP).to_bits(),
    }
}

/// A shader without instructions, with constants of all kinds.
pub fn empty(random: &mut Random) -> Shader {
    let defs = DEFINED
        .map(|n| {
            let first = defined(random);
            let value = match random.below(3) {
                0 => [first; 4],
                _ => [first, defined(random), defined(random), defined(random)],
            };
            (n, value)
        })
        .collect();
    let floats = (0..CONSTANTS)
        .map(|n| if DEFINED.contains(&n) { [0; 4] } else { vector(random) })
        .collect();
    // aL runs from 0 to 5 at most, v[aL+1] and c20[aL] exist.
    let ints = (0..4)
        .map(|_| {
            let count = random.range(0, 3) as i32;
            let (start, step) = match random.below(3) {
                0 => (random.range(0, 2) as i32, 1),
                1 => (random.range(3, 5) as i32, -1),
                _ => (random.range(0, 5) as i32, 0),
            };
            (random.chance(50), [count, start, step])
        })
        .collect();
    let bools = (0..4).map(|_| (random.chance(40), random.chance(50))).collect();
    let textures = (0..2).map(|_| (0..TEXELS * TEXELS).map(|_| vector(random)).collect()).collect();
    Shader { defs, floats, ints, bools, main: Vec::new(), subs: Vec::new(), textures }
}

/// r0 to r3 from inputs and constants.
pub fn prologue() -> Vec<Stmt> {
    let from = [Reg::V(0), Reg::V(1), Reg::V(2), Reg::C(0)];
    (0..4).map(|n| mov(Dst::R(n), from[n as usize])).collect()
}

/// r0 to r3 to the outputs.
pub fn epilogue() -> Vec<Stmt> {
    (0..4).map(|n| mov(Dst::Color(n), Reg::R(n))).collect()
}

fn mov(dst: Dst, reg: Reg) -> Stmt {
    Stmt::Op { op: "mov", sat: false, gate: None, dst, mask: 15, src: vec![Src::new(reg)] }
}

/// The blocks around a statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nesting {
    depth: u32,
    in_loop: bool,
    /// aL has a value.
    counter: bool,
    /// Subroutines from here on may be called.
    first_sub: u32,
    subs: u32,
}

pub fn source(random: &mut Random, nesting: Nesting) -> Src {
    let reg = match random.below(if nesting.counter { 12 } else { 10 }) {
        0..=4 => Reg::R(random.below(4)),
        5 => Reg::V(random.below(7)),
        6 => Reg::C(random.below(DEFINED.start)),
        7 | 8 => Reg::C(random.range(DEFINED.start, DEFINED.end - 1)),
        9 => Reg::Position,
        10 => Reg::RelativeV(random.below(2)),
        _ => Reg::RelativeC(random.pick(&[0, 1, 20, 21])),
    };
    let swizzle = match random.below(3) {
        0 => [0, 1, 2, 3],
        1 => [random.below(4) as u8; 4],
        _ => [0; 4].map(|_| random.below(4) as u8),
    };
    Src { reg, swizzle, neg: random.chance(30), abs: random.chance(25) }
}

fn scalar(random: &mut Random, nesting: Nesting) -> Src {
    let channel = random.below(4) as u8;
    Src { swizzle: [channel; 4], ..source(random, nesting) }
}

pub fn gate(random: &mut Random, percent: u32) -> Option<Gate> {
    random.chance(percent).then(|| Gate {
        not: random.chance(40),
        channel: random.chance(50).then(|| random.below(4) as u8),
    })
}

/// One of [`OPS`], with random operands and modifiers.
pub fn operation(
    random: &mut Random,
    (op, shape, most): (&'static str, Shape, u8),
    nesting: Nesting,
    gates: u32,
) -> Stmt {
    let full = matches!(shape, Shape::Matrix);
    let mask = match random.below(3) {
        _ if full => most,
        0 => most,
        _ => (random.range(1, 15) as u8 & most).max(1),
    };
    let src = match shape {
        Shape::Vectors(n) => (0..n).map(|_| source(random, nesting)).collect(),
        Shape::Scalars(n) => (0..n).map(|_| scalar(random, nesting)).collect(),
        Shape::ThenScalar(n) => {
            let mut src: Vec<Src> = (0..n).map(|_| source(random, nesting)).collect();
            src.push(scalar(random, nesting));
            src
        }
        Shape::Matrix => {
            let matrix = match random.below(4) {
                0 => Reg::R(0),
                1 => Reg::C(random.range(9, 16)),
                _ => Reg::C(random.below(8)),
            };
            let swizzle = [0, 1, 2, 3];
            let matrix = Src { reg: matrix, swizzle, ..source(random, nesting) };
            vec![source(random, Nesting::default()), matrix]
        }
    };
    let dst = match random.below(8) {
        0 => Dst::Color(random.below(4)),
        1 if most == 15 && !full => Dst::Depth,
        _ => Dst::R(random.below(4)),
    };
    Stmt::Op { op, sat: random.chance(25), gate: gate(random, gates), dst, mask, src }
}

pub fn set_predicate(random: &mut Random, nesting: Nesting, gates: u32) -> Stmt {
    Stmt::SetP {
        compare: random.pick(&COMPARES),
        gate: gate(random, gates),
        mask: random.pick(&[15, 15, 1, 2, 4, 8, 7, 10]),
        src: [source(random, nesting), source(random, nesting)],
    }
}

pub fn fetch(random: &mut Random, nesting: Nesting, gates: u32) -> Stmt {
    Stmt::Fetch {
        op: random.pick(&["texld", "texldb", "texldl", "texldp", "texldd"]),
        gate: gate(random, gates),
        dst: random.below(4),
        mask: random.pick(&[15, 15, 7, 8, 5]),
        coordinate: source(random, nesting),
        sampler: random.below(2),
        swizzle: match random.below(2) {
            0 => [0, 1, 2, 3],
            _ => [0; 4].map(|_| random.below(4) as u8),
        },
    }
}

fn kill(random: &mut Random) -> Stmt {
    Stmt::Kill {
        gate: gate(random, 70),
        reg: Reg::R(random.below(4)),
        mask: random.pick(&[1, 2, 4, 8, 3]),
    }
}

fn condition(random: &mut Random, nesting: Nesting, compares: bool) -> Cond {
    match random.below(if compares { 4 } else { 2 }) {
        0 => Cond::Bool(random.below(4), random.chance(50)),
        1 => Cond::Predicate(random.below(4) as u8, random.chance(50)),
        _ => {
            Cond::Compare(random.pick(&COMPARES), scalar(random, nesting), scalar(random, nesting))
        }
    }
}

fn statement(random: &mut Random, nesting: Nesting) -> Stmt {
    let deeper = Nesting { depth: nesting.depth + 1, ..nesting };
    let nested = if nesting.depth < 3 { 1 } else { 0 };
    let weights = [
        34,
        10,
        5,
        1,
        16 * nested,
        5 * nested,
        6 * nested,
        if nesting.in_loop { 12 } else { 0 },
        if nesting.first_sub < nesting.subs { 8 } else { 0 },
    ];
    match random.weighted(&weights) {
        0 => {
            let op = random.pick(OPS);
            match operation(random, op, nesting, 30) {
                // Whether a point writes the depth at all must not differ from point to point.
                Stmt::Op { op, sat, gate, dst: Dst::Depth, mask, src } => {
                    Stmt::Op { op, sat, gate, dst: Dst::R(0), mask, src }
                }
                other => other,
            }
        }
        1 => set_predicate(random, nesting, 20),
        2 => fetch(random, nesting, 30),
        3 => kill(random),
        4 => {
            let cond = condition(random, nesting, true);
            let then = block(random, deeper, 4);
            let other = random.chance(50).then(|| block(random, deeper, 3));
            Stmt::If(cond, then, other)
        }
        5 | 6 => {
            let repeat = random.chance(50);
            let inner = Nesting { in_loop: true, counter: nesting.counter || !repeat, ..deeper };
            let list = block(random, inner, 5);
            let n = random.below(4);
            if repeat { Stmt::Rep(n, list) } else { Stmt::Loop(n, list) }
        }
        7 => {
            let cond = match random.below(3) {
                0 => None,
                1 => Some(Cond::Predicate(random.below(4) as u8, random.chance(50))),
                _ => Some(Cond::Compare(
                    random.pick(&COMPARES),
                    scalar(random, nesting),
                    scalar(random, nesting),
                )),
            };
            match cond {
                // On its own it would make the rest of the loop dead.
                None => {
                    let around = condition(random, nesting, true);
                    Stmt::If(around, vec![Stmt::Break(None)], None)
                }
                cond => Stmt::Break(cond),
            }
        }
        _ => {
            let n = random.range(nesting.first_sub, nesting.subs - 1);
            let cond = random.chance(60).then(|| condition(random, nesting, false));
            Stmt::Call(n, cond)
        }
    }
}

fn block(random: &mut Random, nesting: Nesting, most: u32) -> Vec<Stmt> {
    (0..random.range(1, most)).map(|_| statement(random, nesting)).collect()
}

/// A shader that does everything.
pub fn shader(random: &mut Random) -> Shader {
    let mut shader = empty(random);
    let subs = random.pick(&[0, 0, 1, 2, 3]);
    let nesting = Nesting { subs, ..Nesting::default() };
    shader.main = prologue();
    shader.main.push(set_predicate(random, nesting, 0));
    shader.main.extend(block(random, nesting, 8));
    shader.main.extend(epilogue());
    if random.chance(30) {
        shader.main.push(Stmt::Op {
            op: "add",
            sat: random.chance(30),
            gate: None,
            dst: Dst::Depth,
            mask: 15,
            src: vec![scalar(random, nesting), scalar(random, nesting)],
        });
    }
    for n in 0..subs {
        let nesting = Nesting { depth: 1, first_sub: n + 1, subs, ..Nesting::default() };
        shader.subs.push(block(random, nesting, 4));
    }
    shader
}
