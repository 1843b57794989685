//! Each rule on an example, and random programs, computed with the flushes that are left and with
//! all.

use crate::translate::analyse::{self, Analysis};
use crate::translate::tests::text::launch;
use crate::translate::{Options, State, recover, translate};
use ctm_isa::float::{self, ftz};
use ctm_isa::ops::{Calc, Op};
use ctm_machine::engine::Checked;
use ctm_machine::launch::{Initial, Launch};
use ctm_machine::lower::{GateBits, Lowered, Operand, RowOp, Write};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A launch whose r0 to r3 start with data: one number for all.
fn started(source: &str, bits: u32) -> Launch {
    let mut launch = launch(&format!("{source}\nend"));
    let data = Arc::new(vec![[bits; 4]; 64 * 64]);
    launch.initial = (0..4).map(|temp| Initial { temp, data: data.clone() }).collect();
    launch
}

/// The right sides of the assignments of a program whose temporaries start with such a number.
fn values_with(source: &str, bits: u32) -> Vec<String> {
    let launch = started(source, bits);
    let launch = Checked::new(&launch).unwrap_or_else(|e| panic!("{source}\n{e}"));
    let state = State::of(&launch, &[0..1 << 32], &Options::default())
        .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
    let translation = translate(&launch.program, &launch.lowered, &state)
        .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
    let main = translation.wgsl.split("fn main(").nth(1).unwrap_or_default();
    let lines = main.lines().filter(|line| line.contains(" = x1k_"));
    lines.map(|line| line.split(" = ").nth(1).unwrap_or_default().to_string()).collect()
}

/// The same with any numbers. What flushes them is left out.
fn values(source: &str) -> Vec<String> {
    let mut values = values_with(source, 1);
    for value in &mut values {
        for row in ["r0_r", "r0_g", "r0_b"] {
            *value = value.replace(&format!("x1k_ftz({row})"), row);
        }
    }
    values
}

/// Whether the first operation of a program leaves out all its flushes.
fn first_is_bare(source: &str) -> bool {
    let values = values(source);
    values.first().is_some_and(|value| value.contains("_bare(") && !value.contains("_loose("))
}

#[test]
fn sums_with_large_numbers_have_no_denormals() {
    assert!(first_is_bare("add o0.r, r0.r, 0.5"));
    assert!(!first_is_bare("add o0.r, r0.r, r0.g"));
    // A product is absorbed, too.
    assert!(first_is_bare("mad o0.r, r0.r, r0.g, 0.5"));
    assert!(!first_is_bare("mad o0.r, r0.r, r0.g, r0.b"));
}

#[test]
fn what_follows_may_absorb_denormals() {
    for (then, expected) in [
        ("add o0.r, r1.r, 1", true),
        ("add o0.r, r1.r, r0.b", false),
        ("sub r2.r, r1.r, r0.b\nadd o0.r, r2.r, 1", true),
        ("mov o0.r, r1.r", false),
        ("mov r2.r, r1.r\nadd o0.r, r2.r, 1", true),
        // Inf times a denormal is Inf, times 0 a NaN.
        ("mad o0.r, r1.r, r0.b, 1", false),
        ("frc r2.r, r0.b\nmad o0.r, r1.r, r2.r, 1", true),
        ("mad o0.r, r1.r, r1.r, 1", true),
        // The sign of a zero shows.
        ("rcp o0.r, r1.r", true),
        ("frc o0.r, r1.r", false),
        ("max r2.r, r1.r, 0\nadd o0.r, r2.r, 1", true),
        ("max r2.r, r1.r, 0\nmov o0.r, r2.r", false),
        ("min r2.r, r1.r, 3\nadd o0.r, r2.r, 1", true),
        ("cmp o0.r, r0.r, r0.g, r1.r", true),
        ("cnd o0.r, r0.r, r0.g, r1.r", true),
        ("cmp o0.r, r1.r, 1, r0.r", false),
        ("dp3 r2.r, r1.rrr, r1.rrr\nadd o0.r, r2.r, 1", true),
        ("dp3 r2.r, r1.rrr, r0.rgb\nadd o0.r, r2.r, 1", false),
        ("dp3 o0.r, r1.rrr, r1.rrr", false),
        ("sub alu_result >= 0, r1.r, 1\nif alu_result\nmov o0.r, 1\nendif", false),
        // What follows a run of instructions is not looked at.
        ("sub alu_result >= 0, r0.r, 1\nif alu_result\nadd o0.r, r1.r, 1\nendif", false),
        ("(p.r) add r1.r, r1.r, 1\nadd o0.r, r1.r, 1", true),
        ("(p.r) mov r1.r, 1\nmov o0.r, r1.r", false),
        ("mdh o0.r, r1.r, 1", false),
    ] {
        let source = format!("add r1.r, r0.r, r0.g\n{then}");
        let values = values(&source);
        let bare = values.iter().any(|value| value.starts_with("x1k_add_bare(r0_r, r0_g"));
        assert_eq!(bare, expected, "{source}\n{values:#?}");
    }
}

#[test]
fn multiples_of_large_powers_are_no_denormals() {
    // floor(x) is whole, and so are sums and products of such numbers.
    let floor = "frc r1.r, r0.r\nsub r1.r, r0.r, r1.r\n";
    for (then, expected) in [
        // A square has the sign +.
        ("mul o0.r, r1.r, r1.r", "x1k_settled(x1k_product_bare("),
        ("mul o0.r, r1.r, -r1.r", "x1k_mul_plus_zero_"),
        ("mad o0.r, r1.r, r1.r, r1.r", "x1k_settled(x1k_add_bare(x1k_product_bare("),
        // If it is 0, the sum is r0; otherwise it is large.
        ("mad o0.r, r1.r, r1.r, r0.r", "x1k_settled(x1k_add_bare(x1k_product_bare("),
    ] {
        let found = values(&format!("{floor}{then}"));
        assert!(found[2].starts_with(expected), "{found:#?}");
    }
    // The fraction of another number.
    let other = values("frc r1.r, r0.g\nsub r1.r, r0.r, r1.r\nmad o0.r, r1.r, r1.r, r1.r");
    assert!(other[2].starts_with("x1k_mad_"), "{other:#?}");
    let absolute = values("frc r1.r, |r0.r|\nsub r1.r, r0.r, r1.r\nmad o0.r, r1.r, r1.r, r1.r");
    assert!(absolute[2].starts_with("x1k_mad_"), "{absolute:#?}");
}

#[test]
fn what_starts_with_middling_numbers_is_finite() {
    let found = |source: &str| values_with(source, float::ONE).pop().unwrap_or_default();
    let has = |source: &str, expected: &str| {
        let found = found(source);
        assert!(found.contains(expected), "{source}: {found}");
    };
    has("add o0.r, r0.r, r0.g", "x1k_add_bare(r0_r, r0_g)");
    has("frc r1.r, r0.r\nsub o0.r, r0.r, r1.r", "x1k_floor(r0_r)");
    has("dp3 o0.r, r0.rgb, r1.rgb", "x1k_sum3_bare(t0, t1, t2, false, true)");
    has("dp3 o0.r, r0.rgb, r0.rgb", "x1k_sum3_bare(t0, t1, t2, false, false)");
    let any = values("frc r1.r, r0.r\nsub o0.r, r0.r, r1.r");
    assert!(any[1].starts_with("x1k_add_flushed("), "{any:#?}");
    // Only a sum is a floor.
    for other in ["mul o0.r, r0.r, -r1.r", "mad o0.r, r0.r, -r1.r, r0.g", "max o0.r, r0.r, -r1.r"] {
        let found = found(&format!("frc r1.r, r0.r\n{other}"));
        assert!(!found.contains("floor"), "{other}: {found}");
    }
}

#[test]
fn comparisons_of_flushed_numbers_flush_nothing() {
    assert!(values("add r1.r, r0.r, r0.g\nmax o0.r, r1.r, 0")[1].starts_with("x1k_max_flushed("));
    assert!(values("max o0.r, r0.r, 0")[0].starts_with("x1k_max("));
}

/// The number that an operation of the shader computes at guard level 0.
fn computed(op: &RowOp, calc: Calc, operands: [u32; 4], spared: super::Spared, zero: bool) -> u32 {
    let [a, b, c, d] = operands;
    let [x, y] = [a, b].map(f32::from_bits);
    let flush = |spared: bool, bits: u32| if spared { bits } else { ftz(bits) };
    let product = || match spared.product {
        true => (x * y).to_bits(),
        false if zero && (x * y).is_nan() && (x == 0.0 || y == 0.0) => 0,
        false => ftz((x * y).to_bits()),
    };
    let add = |a: u32, b: u32| flush(spared.sum, (f32::from_bits(a) + f32::from_bits(b)).to_bits());
    let sum = |terms: &[u32]| {
        let largest = terms.iter().map(|term| term << 1 >> 24).max().unwrap_or(0);
        assert!(!spared.special || largest < 255, "{terms:08x?}");
        assert!(!spared.signs || terms.iter().all(|term| term >> 31 == 0), "{terms:08x?}");
        if largest == 255 || terms.iter().all(|term| term << 1 == 0) {
            return float::sum(terms);
        }
        let aligned = |&term: &u32| {
            let twice = term << 1;
            let significand = twice & 0xff_ffff | twice.min(0x100_0000);
            let magnitude = (significand >> (largest - (twice >> 24)).min(31)) as i32;
            if term >> 31 != 0 { -magnitude } else { magnitude }
        };
        let total: i32 = terms.iter().map(aligned).sum();
        let scaled = total as f32 * 2f32.powi(-24) * f32::from_bits(largest << 23);
        flush(spared.sum, scaled.to_bits())
    };
    let less = |a: u32, b: u32| {
        if spared.compared { f32::from_bits(a) < f32::from_bits(b) } else { float::less(a, b) }
    };
    match calc {
        Calc::Add if spared.floor => x.floor().to_bits(),
        Calc::Add => add(a, b),
        Calc::Mul if spared.product => product(),
        Calc::Mul => match product() {
            bits if bits << 1 == 0 => 0,
            bits => bits,
        },
        Calc::Product => product(),
        Calc::Mad => add(product(), c),
        Calc::Sum3 => sum(&[a, b, c]),
        Calc::Sum4 => sum(&[a, b, c, d]),
        Calc::Min => {
            if less(a, b) {
                a
            } else {
                b
            }
        }
        Calc::Max => {
            if less(b, a) {
                a
            } else {
                b
            }
        }
        Calc::Cnd => {
            if f32::from_bits(c) > 0.5 {
                a
            } else {
                b
            }
        }
        Calc::Cmp => {
            if f32::from_bits(c) > -f32::MIN_POSITIVE {
                a
            } else {
                b
            }
        }
        Calc::Frc => (x - x.floor()).to_bits(),
        // They flush their operands.
        Calc::Ex2
        | Calc::Ln2
        | Calc::Rcp
        | Calc::Rsq
        | Calc::Sin
        | Calc::Cos
        | Calc::Finish
        | Calc::Mov => (calc.facts().exact)(operands, op.aux),
    }
}

/// A sequence of numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % count
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A number, most likely one of the hard ones.
    fn number(&mut self) -> u32 {
        let exponent = self.of(&[0, 1, 1, 2, 13, 25, 26, 27, 50, 63, 64, 101, 102, 125, 126, 127])
            + self.of(&[0, 0, 0, 0, 1, 3, 24, 127]);
        let fraction = self.of(&[0, 0, 1, 2, 0x40_0000, 0x7f_ffff, 0x12_3456]);
        let special = self.of(&[0, 0x7f80_0000, 0x7fff_ffff, exponent << 23 | fraction]);
        let common = (exponent << 23 | fraction).min(0x7f80_0000);
        let magnitude = self.of(&[common, common, common, special]);
        magnitude | (self.below(2) as u32) << 31
    }

    /// 0 or a number from 2^-16 to 2^16, most often one with few digits.
    fn middling(&mut self) -> u32 {
        let exponent = self.of(&[111, 112, 120, 125, 126, 127, 128, 135, 142]);
        let fraction = self.of(&[0, 0, 0, 1, 0x40_0000, 0x7f_ffff, 0x12_3456]);
        let sign = (self.below(2) as u32) << 31;
        sign | self.of(&[0, exponent << 23 | fraction, exponent << 23 | fraction])
    }

    /// An operand: a channel of a temporary or a constant.
    fn operand(&mut self) -> String {
        let channel = self.of(&["r", "g", "b", "a"]);
        let temp = self.below(4);
        let row = format!("r{temp}.{channel}");
        let constant =
            self.of(&["0", "1", "0.5", "2", "0.0625", "-3", "c0.r", "c1.g", "c2.b"]).to_string();
        let negated = format!("-{row}");
        let absolute = format!("|{row}|");
        match self.below(8) {
            0 | 1 => constant,
            2 => negated,
            3 => absolute,
            _ => row,
        }
    }

    /// One or two instructions.
    fn line(&mut self) -> String {
        let dst = format!("r{}.{}", self.below(4), self.of(&["r", "g", "b"]));
        let [a, b, c] = [(); 3].map(|()| self.operand());
        let row = |n: usize, random: &mut Random| {
            format!("r{n}.{}", random.of(&["rgb", "gbr", "rrg", "bbb"]))
        };
        let vectors = (row(self.below(4), self), row(self.below(4), self));
        let channel = self.of(&["r", "g", "b"]);
        let temp = format!("r{}.{channel}", self.below(4));
        let constant = format!("c{}.{channel}", self.below(4));
        let gate = self.of(&["", "", "", "", "(p.r) ", "(!p.r) "]);
        let inactive = self.of(&["", "", " @inactive"]);
        let one = match self.below(26) {
            0..3 => format!("add {dst}, {a}, {b}"),
            3..5 => format!("mul {dst}, {a}, {b}"),
            5..8 => format!("mad {dst}, {a}, {b}, {c}"),
            8 => format!("dp3 {dst}, {}, {}", vectors.0, vectors.1),
            9 => format!("min {dst}, {a}, {b}"),
            10 => format!("max {dst}, {a}, {b}"),
            11 => format!("cnd {dst}, {a}, {b}, {c}"),
            12 => format!("cmp {dst}, {a}, {b}, {c}"),
            13 => format!("frc {dst}, {a}"),
            14 => self.of(&["add/2 ", "mul.sat "]).to_string() + &format!("{dst}, {a}, {b}"),
            15 => format!("dp4 {dst}, r{}, r{}", self.below(4), self.below(4)),
            16 => format!("d2a {dst}, r{}, r{}, r{}", self.below(4), self.below(4), self.below(4)),
            17 => {
                let op = self.of(&["rcp", "rsq", "ex2", "ln2", "sin", "cos"]);
                format!("{op} {dst}, {temp}")
            }
            18 | 19 => format!("mov {dst}, {constant}"),
            20 => self.of(&["mdh", "mdv"]).to_string() + &format!(" {dst}, {temp}, {constant}"),
            21 => return format!("add p.r{}0, {a}, {b}", self.of(&["<", ">=", "==", "!="])),
            22 => return format!("texkill r{}.rgbb", self.below(4)),
            23 => return format!("ld r{}, i0(r{}.gr)", self.below(4), self.below(4)),
            // A fraction, and a number minus it: the same, or another. Often they are constants.
            _ => {
                let [other, to] = [(); 2].map(|()| format!("r{}.{channel}", self.below(4)));
                let other = if self.below(2) == 0 { temp.clone() } else { other };
                let moves = match self.below(2) {
                    0 => String::new(),
                    _ => format!(
                        "mov {temp}, {constant}\nmov {other}, c{}.{channel}\n",
                        self.below(4)
                    ),
                };
                return format!(
                    "{moves}frc {to}, {temp}{inactive}\n{gate}sub {dst}, {other}, {to}{inactive}"
                );
            }
        };
        format!("{gate}{one}{inactive}")
    }
}

/// A program with what a shader leaves out of it.
struct Simulated<'a> {
    lowered: &'a Lowered,
    state: &'a State,
    analysis: &'a Analysis,
    uniforms: &'a [u32],
}

impl Simulated<'_> {
    /// Computes the points of a quad, which start with these rows. Returns all that is visible: by
    /// operation, or output, and point.
    fn run(&self, mut rows: [Vec<u32>; 4], bare: bool) -> BTreeMap<(usize, usize), u32> {
        let mut visible = BTreeMap::new();
        let (mut gate, mut bits) = ([true; 4], [[false; 5]; 4]);
        let ops = self.lowered.ops.iter().zip(&self.analysis.needed).zip(&self.analysis.spared);
        for (index, ((op, &needed), &spared)) in ops.enumerate() {
            let spared = if bare { spared } else { Default::default() };
            if op.op == Op::Gate {
                gate = bits.map(|bits| {
                    (0..4).all(|n| {
                        (op.aux >> n & 1 == 0 || bits[n])
                            && (op.aux >> n >> GateBits::FAIL_SHIFT & 1 == 0 || !bits[n])
                    })
                });
            }
            if !needed {
                continue;
            }
            let before = rows.clone();
            for point in 0..4 {
                let written = op.write != Write::Gated || gate[point];
                let read = self.read(op, &before[point], spared);
                let results = match op.op {
                    Op::Calc(calc) => {
                        let zero = self.state.zero_times(op) && !spared.zero_rule;
                        let result = if bare {
                            computed(op, calc, read, spared, zero)
                        } else {
                            (calc.facts().exact)(read, op.aux)
                        };
                        let is_nan = float::is_nan(result) && calc.facts().facts.keeps == 0;
                        vec![if is_nan { float::CANONICAL_NAN } else { result }]
                    }
                    Op::Quad => {
                        let corner = usize::from(op.aux) % 3;
                        vec![self.read(op, &before[corner], spared)[0]]
                    }
                    Op::Output => {
                        if written {
                            visible.insert((OUTPUTS + usize::from(op.aux), point), read[0]);
                        }
                        vec![read[0]]
                    }
                    Op::Fetch => {
                        // Texels that differ from place to place.
                        let [s, t, ..] = read.map(|x| float::texel_index(ftz(x)) as u64);
                        let mut texels = Random(s.wrapping_mul(31).wrapping_add(t));
                        (0..4).map(|_| texels.number()).collect()
                    }
                    Op::SetBit => {
                        let holds = float::compare((op.aux >> 3).into(), read[0]);
                        visible.insert((index, point), holds.into());
                        if written {
                            bits[point][usize::from(op.aux & 7)] = holds;
                        }
                        continue;
                    }
                    Op::Kill => {
                        let killed = read.into_iter().any(float::kills);
                        visible.insert((index, point), killed.into());
                        continue;
                    }
                    Op::LoadTemp
                    | Op::LoadConstant
                    | Op::StoreTemp
                    | Op::Gate
                    | Op::Uncached
                    | Op::Flow
                    | Op::End
                    | Op::Wrap
                    | Op::Missing => panic!("{op:?}"),
                };
                for (row, result) in op.rows().zip(results).filter(|_| written) {
                    rows[point][row as usize] = result;
                }
            }
        }
        visible
    }

    /// The operands of an operation.
    fn read(&self, op: &RowOp, rows: &[u32], spared: super::Spared) -> [u32; 4] {
        std::array::from_fn(|n| {
            let operand = op.operands[n];
            if operand.is_none() {
                return 0;
            }
            let at = operand.index() as usize;
            let bits = if operand.is_uniform() { self.uniforms[at] } else { rows[at] };
            let modifier =
                u32::from(operand.has(Operand::NEG)) | u32::from(operand.has(Operand::ABS)) << 1;
            let bits = float::modify(bits, modifier);
            let flush = operand.has(Operand::FLUSH) && spared.operands >> n & 1 == 0;
            if flush { ftz(bits) } else { bits }
        })
    }
}

/// Added to the numbers of outputs, so that they differ from those of operations.
const OUTPUTS: usize = 1 << 16;

#[test]
fn random_programs_give_the_same_bits_without_the_flushes() {
    let mut random = Random(5);
    let (mut left_out, mut floors) = (0, 0);
    for n in 0..1800 {
        let mut lines: Vec<String> = (0..14).map(|_| random.line()).collect();
        lines.push(format!("{} o0.rgb, r{}, {}", random.of(&["add", "mul", "max"]), n % 4, 1));
        let source = lines.join("\n");
        // Any numbers, or those of `Fact::MIDDLING`.
        let any = n % 2 == 0;
        let number = |random: &mut Random| if any { random.number() } else { random.middling() };
        let mut launch = started(&source, if any { 1 } else { float::ONE });
        let mut constants = (*launch.constants).clone();
        for constant in &mut constants.float[..4] {
            *constant = std::array::from_fn(|_| number(&mut random));
        }
        launch.constants = Arc::new(constants);
        let launch = Checked::new(&launch).unwrap_or_else(|e| panic!("{source}\n{e}"));
        let state = State::of(&launch, &[0..1 << 32], &Options::default())
            .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
        let lowered = &*launch.lowered;
        let tree = recover(lowered, &state.int_constants(), state.bools)
            .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
        let analysis = analyse::analyse(lowered, &tree, &state)
            .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
        let uniforms = lowered.resolve(&launch.constants);
        left_out += analysis.spared.iter().filter(|spared| **spared != Default::default()).count();
        floors += analysis.spared.iter().filter(|spared| spared.floor).count();
        let simulated =
            Simulated { lowered, state: &state, analysis: &analysis, uniforms: &uniforms };
        for _ in 0..25 {
            let start: [Vec<u32>; 4] =
                [(); 4].map(|()| (0..lowered.rows).map(|_| number(&mut random)).collect());
            let [bare, exact] = [true, false].map(|bare| simulated.run(start.clone(), bare));
            assert!(exact.keys().any(|(what, _)| *what >= OUTPUTS), "{source}");
            assert_eq!(bare, exact, "{source}");
        }
    }
    assert!(left_out > 2000 && floors > 50, "{left_out} {floors}");
}
