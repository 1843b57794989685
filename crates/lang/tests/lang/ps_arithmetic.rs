//! Every instruction of ps_3_0 with random operands, modifiers, swizzles, masks and saturation, bit
//! for bit against the expansions of docs/ps_3_0.md.

use crate::ps_common::generate::{self, Nesting, OPS};
use crate::ps_common::run::check;
use crate::ps_common::{self, Dst, Reg, Src, Stmt};
use ctm_base::random::Random;
use ctm_lang::ps::compile;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::Reference;

const SEED: u64 = 0x7073;
const POINTS: usize = 24;

/// Shaders of one instruction between loads and stores of r0 to r3.
fn each(name: &str, count: u64, points: usize, make: impl Fn(&mut Random) -> Vec<Stmt>) {
    let engine = Reference::new();
    for n in 0..count {
        let hash = name.bytes().fold(0, |hash, b| hash * 31 + u64::from(b));
        let mut random = Random::new(&[SEED, hash, n]);
        let mut shader = generate::empty(&mut random);
        let statements = make(&mut random);
        let writes_depth = |s: &Stmt| matches!(s, Stmt::Op { dst: Dst::Depth, .. });
        shader.main = generate::prologue();
        shader.main.push(generate::set_predicate(&mut random, Nesting::default(), 0));
        // Where a gate is closed, an earlier value must stay.
        if statements.iter().any(writes_depth) {
            shader.main.push(Stmt::Op {
                op: "mov",
                sat: false,
                gate: None,
                dst: Dst::Depth,
                mask: 15,
                src: vec![Src { swizzle: [2; 4], ..Src::new(Reg::C(3)) }],
            });
        }
        shader.main.extend(generate::epilogue());
        shader.main.extend(statements);
        shader.main.extend(generate::epilogue().into_iter().rev());
        let inputs = generate::inputs(&mut random, points);
        check(&shader, &inputs, &engine, compile, &format!("{name} {n}, seed {SEED:#x}"));
    }
}

#[test]
fn every_arithmetic_instruction_is_its_expansion() {
    for &op in OPS {
        each(op.0, 60, POINTS, |random| {
            vec![generate::operation(random, op, Nesting::default(), 30)]
        });
    }
}

#[test]
fn results_go_to_outputs_directly() {
    // Without the stores behind it, so that what an instruction leaves in oC stays.
    let engine = Reference::new();
    for &op in OPS {
        for n in 0..6 {
            let mut random =
                Random::new(&[SEED, 2, n, op.0.len() as u64, u64::from(op.0.as_bytes()[0])]);
            let mut shader = generate::empty(&mut random);
            shader.main = generate::prologue();
            shader.main.push(generate::set_predicate(&mut random, Nesting::default(), 0));
            let mut statement = generate::operation(&mut random, op, Nesting::default(), 30);
            if let Stmt::Op { dst, .. } = &mut statement {
                *dst = Dst::Color(n as u32 % 4);
            }
            shader.main.push(statement);
            let inputs = generate::inputs(&mut random, POINTS);
            check(&shader, &inputs, &engine, compile, &format!("{} {n}", op.0));
        }
    }
}

#[test]
fn predicates_are_signs_of_differences() {
    each("setp", 200, POINTS, |random| {
        let nesting = Nesting::default();
        vec![
            generate::set_predicate(random, nesting, 40),
            generate::operation(random, OPS[0], nesting, 100),
            generate::operation(random, OPS[2], nesting, 100),
        ]
    });
}

#[test]
fn fetches_take_texel_coordinates() {
    each("fetch", 200, POINTS, |random| {
        let nesting = Nesting::default();
        vec![generate::fetch(random, nesting, 30), generate::fetch(random, nesting, 30)]
    });
}

#[test]
fn points_are_killed_below_zero_only() {
    each("texkill", 60, 40, |random| {
        vec![Stmt::Kill {
            gate: generate::gate(random, 50),
            reg: random.pick(&[Reg::R(0), Reg::R(1), Reg::V(3), Reg::Position]),
            mask: random.range(1, 15) as u8,
        }]
    });
}

#[test]
fn runs_of_instructions_are_paired_without_harm() {
    let block = Block::new();
    for n in 0..150 {
        let mut random = Random::new(&[SEED, 3, n]);
        let mut shader = generate::empty(&mut random);
        shader.main = generate::prologue();
        shader.main.push(generate::set_predicate(&mut random, Nesting::default(), 0));
        for _ in 0..12 {
            let op = random.pick(OPS);
            let mut statement = generate::operation(&mut random, op, Nesting::default(), 30);
            // Alternating units invite pairing.
            if let Stmt::Op { mask, dst, .. } = &mut statement {
                if op.2 == 15 && op.0.as_bytes()[0] != b'm' {
                    *mask = random.pick(&[1, 2, 6, 7, 8, 8, 8]);
                }
                if *dst == Dst::Depth {
                    *dst = Dst::R(1);
                }
            }
            shader.main.push(statement);
        }
        shader.main.extend(generate::epilogue());
        let inputs = generate::inputs(&mut random, POINTS);
        check(&shader, &inputs, &block, compile, &format!("run {n}, seed {SEED:#x}"));
    }
}

/// The value of an instruction in exact arithmetic, as far as binary64 goes, and how far the expansion
/// may be away from it.
fn mathematics(op: &str, src: &[[f64; 4]], rows: &[[f64; 4]], n: usize) -> Option<(f64, f64)> {
    /// A rounding error, relative.
    const ULP: f64 = 1.0 / (1u32 << 23) as f64;
    let zero = [0.0; 4];
    let [a, b, c] = [0, 1, 2].map(|n| src.get(n).unwrap_or(&zero));
    // Sums: every product and sum is rounded once, the dot products' terms are cut 24 places below
    // the largest.
    let sum = |terms: &[f64]| {
        let size: f64 = terms.iter().map(|term| term.abs()).sum();
        Some((terms.iter().sum(), 4.0 * ULP * size))
    };
    let products = |a: &[f64; 4], b: &[f64; 4], n: usize| -> Vec<f64> {
        (0..n).map(|n| a[n] * b[n]).collect()
    };
    match op {
        "mov" => Some((a[n], 0.0)),
        "abs" => Some((a[n].abs(), 0.0)),
        "min" => Some((a[n].min(b[n]), 0.0)),
        "max" => Some((a[n].max(b[n]), 0.0)),
        "cmp" => Some((if a[n] >= 0.0 { b[n] } else { c[n] }, 0.0)),
        "add" => sum(&[a[n], b[n]]),
        "sub" => sum(&[a[n], -b[n]]),
        "mul" => sum(&[a[n] * b[n]]),
        "mad" => sum(&[a[n] * b[n], c[n]]),
        "lrp" => {
            let size = a[n].abs() * (b[n].abs() + c[n].abs()) + c[n].abs();
            Some((a[n] * (b[n] - c[n]) + c[n], 4.0 * ULP * size))
        }
        // The machine gives 1 for what is a little below an integer.
        "frc" => Some((a[n] - a[n].floor(), ULP)),
        "dp2add" => sum(&[a[0] * b[0], a[1] * b[1], c[0]]),
        "dp3" => sum(&products(a, b, 3)),
        "dp4" => sum(&products(a, b, 4)),
        "rcp" => Some((1.0 / a[0], 2.0 * ULP / a[0].abs())),
        "rsq" => Some((1.0 / a[0].abs().sqrt(), 2.0 * ULP / a[0].abs().sqrt())),
        "exp" => Some((a[0].exp2(), 2.0 * ULP * a[0].exp2())),
        "log" => {
            let log = a[0].abs().log2();
            Some((log, 2.0 * ULP * log.abs().max(1.0)))
        }
        "pow" => {
            // The logarithm's error and the product's, through the exponential.
            let log = a[0].abs().log2();
            let result = (log * b[0]).exp2();
            let exponent = 2.0 * ULP * log.abs().max(1.0) * b[0].abs() + ULP * (log * b[0]).abs();
            Some((result, result * (exponent + 4.0 * ULP)))
        }
        "nrm" => {
            let length = products(a, a, 3).iter().sum::<f64>().sqrt();
            let result = a[n] / length;
            Some((result, 8.0 * ULP * result.abs()))
        }
        "crs" => {
            let (l, r) = ((n + 1) % 3, (n + 2) % 3);
            (n < 3).then(|| sum(&[a[l] * b[r], -a[r] * b[l]])).flatten()
        }
        "sincos" => {
            // The angle's error and the function's.
            let error = 2.0 * ULP * a[0].abs() + 4.0 * ULP;
            match n {
                0 => Some((a[0].cos(), error)),
                1 => Some((a[0].sin(), error)),
                _ => None,
            }
        }
        "m3x2" | "m3x3" | "m3x4" => sum(&products(a, rows.get(n)?, 3)),
        "m4x3" | "m4x4" => sum(&products(a, rows.get(n)?, 4)),
        other => panic!("{other}"),
    }
}

#[test]
fn expansions_are_near_what_the_instructions_mean() {
    let mut random = Random::new(&[SEED, 4]);
    let mut number = || {
        let sign = random.bits() & 0x8000_0000;
        f32::from_bits(sign | random.range(119, 129) << 23 | random.bits() & 0x7f_ffff)
    };
    for &(op, ..) in OPS {
        for round in 0..3000 {
            let src = [0; 3].map(|_| [0; 4].map(|_| number()));
            let rows = [0; 4].map(|_| [0; 4].map(|_| number()));
            let bits = |list: &[[f32; 4]]| -> Vec<[u32; 4]> {
                list.iter().map(|value| value.map(f32::to_bits)).collect()
            };
            let wide = |list: &[[f32; 4]]| -> Vec<[f64; 4]> {
                list.iter().map(|value| value.map(f64::from)).collect()
            };
            let (_, found) = ps_common::interpreter::evaluate(op, &bits(&src), &bits(&rows));
            for n in 0..4 {
                let wanted = mathematics(op, &wide(&src), &wide(&rows), n);
                let Some((wanted, tolerance)) = wanted else {
                    continue;
                };
                let found = f64::from(f32::from_bits(found[n]));
                assert!(
                    (found - wanted).abs() <= tolerance,
                    "{op} {round}, channel {n}: {src:?} {rows:?} gives {found}, exact {wanted}"
                );
            }
        }
    }
}

#[test]
fn borders_are_those_of_the_document() {
    let one = |op: &str, a: f32, b: f32| {
        let (_, result) =
            ps_common::interpreter::evaluate(op, &[[a.to_bits(); 4], [b.to_bits(); 4]], &[]);
        f32::from_bits(result[0])
    };
    assert_eq!(one("rcp", 0.0, 0.0), f32::INFINITY);
    assert_eq!(one("rsq", -4.0, 0.0), 0.5);
    assert_eq!(one("log", 0.0, 0.0), f32::NEG_INFINITY);
    assert_eq!(one("nrm", 0.0, 0.0), 0.0);
    assert_eq!(one("pow", 0.0, 0.0), 1.0);
    assert_eq!(one("pow", 0.0, 2.0), 0.0);
    assert_eq!(one("pow", -2.0, 3.0), 8.0);
    assert_eq!(one("mul", -1.0, 0.0).to_bits(), 0x8000_0000);
}
