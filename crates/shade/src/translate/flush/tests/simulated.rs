//! The results of a program with the flushes that are left, and with all.

use crate::translate::State;
use crate::translate::analyse::Analysis;
use crate::translate::flow::ops_of;
use crate::translate::flush::Spared;
use crate::translate::flush::tests::random::Random;
use crate::translate::tree::{Condition, Leave, Node};
use ctm_isa::float::{self, ftz};
use ctm_isa::ops::{Calc, Op};
use ctm_machine::lower::{FetchBits, GateBits, Lowered, Operand, RowOp, Write};
use ctm_machine::memory::format::decode;
use std::collections::BTreeMap;

/// The number that an operation of the shader computes at guard level 0.
fn computed(op: &RowOp, calc: Calc, operands: [u32; 4], spared: Spared, zero: bool) -> u32 {
    let [a, b, c, d] = operands;
    let [x, y] = [a, b].map(f32::from_bits);
    let flush = |spared: bool, bits: u32| if spared { bits } else { ftz(bits) };
    let product = || {
        if !spared.product && zero && (x * y).is_nan() && (x == 0.0 || y == 0.0) {
            0
        } else {
            flush(spared.product, (x * y).to_bits())
        }
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
        Calc::Mul if spared.plus_zero => (x * y + 0.0).to_bits(),
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

/// A program with what a shader leaves out of it.
pub struct Simulated<'a> {
    pub lowered: &'a Lowered,
    pub state: &'a State,
    pub analysis: &'a Analysis,
    pub uniforms: &'a [u32],
    /// Whether what can be left out is.
    pub bare: bool,
}

/// The points of a quad as a program runs.
pub struct Running {
    pub rows: [Vec<u32>; 4],
    /// Predicates and the ALU result.
    bits: [[bool; 5]; 4],
    /// The operations so far.
    time: usize,
    /// All that is visible: by operation and time, or output, and by point.
    pub visible: BTreeMap<(usize, usize, usize), u32>,
}

/// Some points of a quad.
type Points = [bool; 4];

fn both(a: Points, b: Points) -> Points {
    std::array::from_fn(|n| a[n] && b[n])
}

fn either(a: Points, b: Points) -> Points {
    std::array::from_fn(|n| a[n] || b[n])
}

impl Running {
    pub fn new(rows: [Vec<u32>; 4]) -> Running {
        Running { rows, bits: [[false; 5]; 4], time: 0, visible: BTreeMap::new() }
    }

    fn wish(&self, condition: Condition) -> Points {
        self.bits.map(|bits| {
            let number = u8::from(bits[4]) << 1 | u8::from(bits[usize::from(condition.predicate)]);
            condition.table >> number & 1 != 0
        })
    }
}

impl Simulated<'_> {
    /// Runs statements. Returns the points that get to their end; `exits` are those that leave a loop, and
    /// those that go on with its next turn.
    pub fn block(
        &self,
        nodes: &[Node],
        points: Points,
        exits: &mut [Points; 2],
        now: &mut Running,
    ) -> Points {
        nodes.iter().fold(points, |points, node| match node {
            Node::Run(slots) => {
                slots.clone().for_each(|pc| self.slot(pc, points, now));
                points
            }
            Node::If { condition, then, otherwise, .. } => {
                let wish = now.wish(*condition);
                let then = self.block(then, both(points, wish), exits, now);
                let others = both(points, wish.map(|wish| !wish));
                either(then, self.block(otherwise, others, exits, now))
            }
            Node::Loop { count, body, .. } => {
                let (mut turn, mut done) = (points, [false; 4]);
                for _ in 0..*count {
                    let mut left = [[false; 4]; 2];
                    let end = self.block(body, turn, &mut left, now);
                    (turn, done) = (either(end, left[1]), either(done, left[0]));
                }
                either(turn, done)
            }
            Node::Leave { condition, to, .. } => {
                let wish = both(points, now.wish(*condition));
                let exit = &mut exits[usize::from(*to == Leave::Continue)];
                *exit = either(*exit, wish);
                both(points, wish.map(|wish| !wish))
            }
        })
    }

    fn slot(&self, pc: u16, points: Points, now: &mut Running) {
        let mut gate = [true; 4];
        for index in ops_of(self.lowered, pc) {
            let op = &self.lowered.ops[index];
            let all = Spared::default();
            let spared = if self.bare { self.analysis.spared[index] } else { all };
            if op.op == Op::Gate {
                gate = now.bits.map(|bits| {
                    (0..4).all(|n| {
                        (op.aux >> n & 1 == 0 || bits[n])
                            && (op.aux >> n >> GateBits::FAIL_SHIFT & 1 == 0 || !bits[n])
                    })
                });
            }
            if !self.analysis.needed[index] {
                continue;
            }
            now.time += 1;
            let before = now.rows.clone();
            for point in (0..4).filter(|&point| points[point]) {
                let written = op.write != Write::Gated || gate[point];
                let read = self.read(op, &before[point], spared);
                let results = match op.op {
                    Op::Calc(calc) => {
                        let zero = self.state.zero_times(op) && !spared.zero_rule;
                        let result = if self.bare {
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
                            now.visible.insert((OUTPUTS + usize::from(op.aux), 0, point), read[0]);
                        }
                        vec![read[0]]
                    }
                    Op::Fetch => self.fetched(op, read).to_vec(),
                    Op::SetBit => {
                        let holds = float::compare((op.aux >> 3).into(), read[0]);
                        now.visible.insert((index, now.time, point), holds.into());
                        if written {
                            now.bits[point][usize::from(op.aux & 7)] = holds;
                        }
                        continue;
                    }
                    Op::Kill => {
                        let killed = read.into_iter().any(float::kills);
                        now.visible.insert((index, now.time, point), killed.into());
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
                    now.rows[point][row as usize] = result;
                }
            }
        }
    }

    /// A texel: they differ from place to place.
    fn fetched(&self, op: &RowOp, read: [u32; 4]) -> [u32; 4] {
        let number = op.aux & FetchBits::INPUT;
        let input = self.state.inputs[usize::from(number)].expect("an input");
        let [s, t, ..] = read.map(|x| float::texel_index(ftz(x)) as u64);
        let mut texels = Random(s.wrapping_mul(31).wrapping_add(t) ^ u64::from(number) << 40);
        let mut texel = || {
            let fact = self.state.texels.fact();
            let channels = [(); 4].map(|()| match texels.texel(input.format) {
                word if input.format.bytes_per_channel() < 4 || fact.holds(word) => word,
                _ => texels.middling(),
            });
            decode(input.format, bytemuck::cast_slice(&channels))
        };
        if input.tiling.is_2x2() { [(); 4].map(|()| texel()[0]) } else { texel() }
    }

    /// The operands of an operation.
    fn read(&self, op: &RowOp, rows: &[u32], spared: Spared) -> [u32; 4] {
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
pub const OUTPUTS: usize = 1 << 16;
