//! The results that need no flush: they are never denormal, or nothing distinguishes a denormal from
//! 0.
//!
//! Forwards, every value gets a [`Fact`]: how small and large it can be, and of which power of two it
//! is a multiple. Facts follow the statements (`statements`): the facts after a branch hold at both its
//! ends, those in a loop in every turn. Backwards, in each run of instructions, every value gets a
//! *tolerance*: the exponent t for which all numbers below 2^t give visible results of the same
//! bits. Values that go out of a run have no tolerance.
//!
//! Facts speak of values as they are with all flushes. A flush that is left out changes a value only
//! within its tolerance. Rules hold if several operands change like that. Facts about numbers, except
//! about denormals, hold in mode fast, too.

mod fact;
mod statements;
#[cfg(test)]
mod tests;

use crate::translate::state::{Sizes, State};
use crate::translate::tree::{Node, Tree};
use ctm_isa::float::FACTORS;
use ctm_isa::ops::{Op, Size};
use ctm_machine::launch::FloatMode;
use ctm_machine::lower::{FetchBits, Lowered, NO_ROW, Operand, RowOp, Write};
pub use fact::Fact;
use fact::{INFINITE, SMALLEST};
use statements::Exits;
use std::collections::HashMap;

/// The steps that an operation can leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spared {
    /// The flush of the product, in an operation that has one.
    pub product: bool,
    /// The flush of a product whose zeros are +0: adding 0 makes them that.
    pub plus_zero: bool,
    /// The flush of the sum, in an operation that has one.
    pub sum: bool,
    /// The flush of the numbers that it compares.
    pub compared: bool,
    /// The rule that 0 times Inf or NaN is 0.
    pub zero_rule: bool,
    /// The treatment of Inf and NaN, in an aligned sum.
    pub special: bool,
    /// The signs of the terms, in an aligned sum.
    pub signs: bool,
    /// Emit the floor of the first operand instead of the operation.
    pub floor: bool,
    /// Flushes of operands, bit n for operand n.
    pub operands: u8,
}

impl Spared {
    /// The steps that both leave out.
    fn and(self, other: Spared) -> Spared {
        Spared {
            product: self.product && other.product,
            plus_zero: self.plus_zero && other.plus_zero,
            sum: self.sum && other.sum,
            compared: self.compared && other.compared,
            zero_rule: self.zero_rule && other.zero_rule,
            special: self.special && other.special,
            signs: self.signs && other.signs,
            floor: self.floor && other.floor,
            operands: self.operands & other.operands,
        }
    }
}

/// No tolerance: the sign of a zero, or a denormal, shows. Other tolerances than these two are from
/// [`SMALLEST`] to [`ANY`].
const EXACT: i16 = i16::MIN;

/// A denormal gives the same results as the zero of its sign.
const FLUSHED: i16 = EXACT + 1;

/// The highest tolerance.
const ANY: i16 = 0;

/// The steps that the operations of a program can leave out, and what is certain of its outputs.
/// `needed` as in [`crate::translate::analyse::Analysis`].
pub fn spared(
    lowered: &Lowered,
    tree: &Tree,
    state: &State,
    needed: &[bool],
) -> (Vec<Spared>, [Sizes; 4]) {
    let all = vec![None; lowered.ops.len()];
    let (tops, outputs) = (HashMap::new(), [Sizes::Wide; 4]);
    let mut pass = Pass { lowered, state, needed, spared: all, tops, searching: false, outputs };
    // With relative addressing any instruction may read a temporary.
    if lowered.needs.relative {
        pass.outputs = [Sizes::Any; 4];
    } else {
        let starts = pass.starts();
        pass.block(&tree.nodes, Some(starts), &mut Exits::default(), true);
    }
    let spared = pass.spared.into_iter().map(Option::unwrap_or_default).collect();
    (spared, pass.outputs)
}

/// The facts of the rows that values keep from instruction to instruction, in their order.
type Rows = Vec<Fact>;

struct Pass<'a> {
    lowered: &'a Lowered,
    state: &'a State,
    needed: &'a [bool],
    /// Instructions of a subroutine are in several runs; what all of them can leave out counts.
    spared: Vec<Option<Spared>>,
    /// For each loop, the facts that hold at the start of all turns, as found in the last visit.
    tops: HashMap<*const Node, Rows>,
    /// Whether such facts are being looked for: nothing else is decided yet.
    searching: bool,
    /// The bound of everything that is written to each output.
    outputs: [Sizes; 4],
}

/// The value in a row.
#[derive(Clone, Copy)]
struct Value {
    fact: Fact,
    /// As an operand: before it was flushed, it may have been a denormal.
    may_be_denormal: bool,
    /// Distinguishes values of the run.
    id: Option<Id>,
    /// The value of which this is the fraction, [`Size::Fraction`].
    fraction_of: Option<Id>,
}

/// The origin of a value in a run. Values with the same origin are the same; a move keeps it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Id {
    /// The value of a row before the run.
    Before(u32),
    /// A uniform.
    Uniform(u32),
    /// The value that an operation writes to its n-th row.
    Written(usize, usize),
}

impl Value {
    /// A value of which only this is certain.
    fn new(fact: Fact, id: Id) -> Value {
        Value { fact, id: Some(id), ..UNKNOWN }
    }
}

impl Pass<'_> {
    /// The facts of a point that starts.
    fn starts(&self) -> Rows {
        let mut facts = vec![Fact::UNKNOWN; self.lowered.scratch as usize];
        let rows = self.lowered.temp_rows.iter().enumerate().filter(|&(_, &row)| row != NO_ROW);
        for (n, &row) in rows {
            let given = self.state.initial.iter().any(|&temp| usize::from(temp) == n / 4);
            let interpolated = self.state.interpolants && (1..=7).contains(&(n / 4));
            facts[usize::from(row)] = match n {
                _ if given => self.state.starts.fact(),
                _ if interpolated => Fact::UNKNOWN,
                0 | 1 => Fact::POSITION,
                _ => Fact::constant(0),
            };
        }
        facts
    }

    /// A run of operations. `facts` are those before it, and then those after it; `last`: the program
    /// ends after it.
    fn run(&mut self, ops: &[usize], facts: &mut Rows, last: bool) {
        let of_row = |row| {
            let fact = facts.get(row as usize).copied().unwrap_or(Fact::UNKNOWN);
            Value::new(fact, Id::Before(row))
        };
        let mut rows: Vec<Value> = (0..self.lowered.rows).map(of_row).collect();
        let mut operands: Vec<[Value; 4]> = Vec::with_capacity(ops.len());
        for &index in ops {
            operands.push(self.forwards(index, &mut rows));
        }
        facts.iter_mut().zip(&rows).for_each(|(fact, row)| *fact = row.fact);
        if self.searching {
            return;
        }
        // What follows a run reads temporaries, except after the last run.
        let outputs = self.lowered.temporaries;
        let outside = |row: u32| match row {
            row if row < outputs && !last => EXACT,
            row if (outputs..self.lowered.scratch).contains(&row) => EXACT,
            _ => ANY,
        };
        let mut tolerances: HashMap<u32, i16> = HashMap::new();
        for (&index, operands) in ops.iter().zip(&operands).rev() {
            let op = &self.lowered.ops[index];
            let at = |tolerances: &HashMap<u32, i16>, row| {
                tolerances.get(&row).copied().unwrap_or_else(|| outside(row))
            };
            let result = op.rows().map(|row| at(&tolerances, row)).min().unwrap_or(EXACT);
            if op.write != Write::Gated {
                op.rows().for_each(|row| {
                    tolerances.insert(row, ANY);
                });
            }
            let facts = operands.map(|value| value.fact);
            if op.op == Op::Output
                && let Some(output) = self.outputs.get_mut(usize::from(op.aux) / 4)
            {
                *output = (*output).min(Sizes::of_fact(&facts[0]));
            }
            let (wanted, mut spared) = tolerated(op, &facts, result, self.state.zero_times(op));
            let fast = self.state.mode == FloatMode::Fast;
            spared.floor = is_floor(op, operands) && (fast || facts[0].is_finite());
            for (n, value) in operands.iter().enumerate() {
                spared.operands |= u8::from(!value.may_be_denormal) << n;
            }
            for ((operand, value), wanted) in op.operands.into_iter().zip(operands).zip(wanted) {
                if operand.is_none() || operand.is_uniform() {
                    continue;
                }
                // A flush of its own: denormals are the zeros of their signs.
                let flushes = operand.has(Operand::FLUSH) && value.may_be_denormal;
                let flushed = if flushes { FLUSHED } else { EXACT };
                let wanted = wanted.max(flushed).min(at(&tolerances, operand.index()));
                tolerances.insert(operand.index(), wanted);
            }
            let spared = self.spared[index].map_or(spared, |before| before.and(spared));
            self.spared[index] = Some(spared);
        }
    }

    /// The operands of an operation; `rows` then has its result.
    fn forwards(&self, index: usize, rows: &mut [Value]) -> [Value; 4] {
        let op = &self.lowered.ops[index];
        let keeps = op.op.facts().keeps;
        let operands = std::array::from_fn(|n| {
            let operand = op.operands[n];
            let mut value = match operand {
                operand if operand.is_none() => return UNKNOWN,
                operand if operand.is_uniform() => {
                    let uniform = operand.index();
                    Value::new(self.state.fact(uniform), Id::Uniform(uniform))
                }
                operand => rows[operand.index() as usize],
            };
            value.may_be_denormal = value.fact.low < SMALLEST;
            // An operand whose bits the result does not keep is flushed, by itself or by what made it.
            if operand.has(Operand::FLUSH) || keeps >> n & 1 == 0 {
                value.fact = value.fact.flushed();
            }
            if operand.has(Operand::ABS) {
                value.fact.positive = true;
            }
            if operand.has(Operand::NEG) {
                value.fact.positive = false;
            }
            value
        });
        let size = size(op.op);
        let fraction =
            size == Some(Size::Fraction) && !op.operands[0].has(Operand::ABS | Operand::NEG);
        let copies = size == Some(Size::Move) && op.operands[0].is_plain();
        let value = match op.op {
            _ if copies => operands[0],
            Op::Calc(calc) => Value {
                fact: Fact::of(calc, op, &operands.map(|value| value.fact)),
                fraction_of: operands[0].id.filter(|_| fraction),
                ..UNKNOWN
            },
            Op::Output => Value { fact: operands[0].fact, ..UNKNOWN },
            _ => UNKNOWN,
        };
        let value = if is_floor(op, &operands) {
            Value { fact: Fact::floor(&operands[0].fact), ..value }
        } else {
            value
        };
        for (n, row) in op.rows().enumerate() {
            let id = Id::Written(index, n);
            let row = &mut rows[row as usize];
            let value = match op.op {
                Op::Fetch => {
                    Value { fact: self.state.texel(op.aux & FetchBits::INPUT, n), ..value }
                }
                _ => value,
            };
            *row = match op.write {
                Write::Gated => Value::new(value.fact.or(&row.fact), id),
                Write::Active | Write::All if copies => value,
                Write::Active | Write::All => Value { id: Some(id), ..value },
            };
        }
        operands
    }
}

/// A value of which nothing is known, not even where it comes from.
const UNKNOWN: Value =
    Value { fact: Fact::UNKNOWN, may_be_denormal: true, id: None, fraction_of: None };

/// The bounds of an operation's result, if it computes one number.
fn size(op: Op) -> Option<Size> {
    match op {
        Op::Calc(calc) => Some(calc.facts().size),
        Op::Output => Some(Size::Move),
        _ => None,
    }
}

/// Whether a sum is x minus the fraction of x. That is floor(x) exactly, although FRC rounds: only
/// for x from -1 to 0, by at most 2^-25, and the sum rounds that away again.
fn is_floor(op: &RowOp, operands: &[Value; 4]) -> bool {
    let [a, b, ..] = op.operands;
    let sum = size(op.op) == Some(Size::Sum);
    let plain = !a.is_uniform() && !a.has(Operand::ABS | Operand::NEG);
    let negated = b.has(Operand::NEG) && !b.has(Operand::ABS);
    let own = operands[0].id.is_some() && operands[0].id == operands[1].fraction_of;
    sum && plain && negated && own
}

/// The tolerances of operands, and what the operation can leave out; `result` is the tolerance of
/// its result, `zero_times` whether the zero rule can change its product.
fn tolerated(op: &RowOp, facts: &[Fact; 4], result: i16, zero_times: bool) -> ([i16; 4], Spared) {
    let [a, b, c, _] = facts;
    let nothing = Spared::default();
    let Op::Calc(calc) = op.op else {
        let wanted = match op.op {
            // A move.
            Op::Output => result,
            // All these numbers are zeros to it.
            Op::SetBit => SMALLEST,
            _ => EXACT,
        };
        return ([wanted, EXACT, EXACT, EXACT], nothing);
    };
    let square = op.operands[0] == op.operands[1];
    let zero_rule = !zero_times || a.is_finite() && b.is_finite();
    let zero_times = !zero_rule;
    let nothing = Spared { zero_rule, ..nothing };
    let product = a.product(b);
    // Tiny times Inf, or times NaN by the zero rule, is not what 0 gives.
    let factor = |other: &Fact, product: i16| match product {
        _ if zero_times => EXACT,
        _ if square => tolerance(product, |t| t.div_euclid(2)),
        _ if other.high >= INFINITE => EXACT,
        _ => tolerance(product, |t| t - other.high.max(0)),
    };
    let positive = square || product.positive;
    match calc.facts().size {
        Size::Move => ([result, EXACT, EXACT, EXACT], nothing),
        Size::Sum => {
            let spared = Spared { sum: is_spared(a.sum(b), result), ..nothing };
            ([term(b, result), term(a, result), EXACT, EXACT], spared)
        }
        Size::Product { signed } => {
            let plus_zero = result >= SMALLEST || product.low >= SMALLEST;
            let spared = if signed {
                is_spared(product, result)
            } else {
                plus_zero && (result >= SMALLEST || positive)
            };
            let spared = Spared {
                product: spared && !zero_times,
                plus_zero: plus_zero && !zero_times && !signed,
                ..nothing
            };
            ([factor(b, result), factor(a, result), EXACT, EXACT], spared)
        }
        Size::MulAdd => {
            let (inner, flushed) = (term(c, result), product.flushed());
            let spared = Spared {
                product: is_spared(product, inner) && !zero_times,
                sum: is_spared(flushed.sum(c), result),
                ..nothing
            };
            ([factor(b, inner), factor(a, inner), term(&flushed, result), EXACT], spared)
        }
        Size::Aligned => {
            let terms = &facts[..calc.facts().operands];
            let spared = Spared {
                sum: is_spared(Fact::aligned_sum(terms), result),
                special: terms.iter().all(Fact::is_finite),
                signs: terms.iter().all(|term| term.positive),
                ..nothing
            };
            // A denormal counts as some number below 2^-125. It vanishes next to a term from 2^-100 on.
            // Without such a term the sum is below 2^-97, with it or without.
            let wanted = std::array::from_fn(|n| {
                let mut others = terms.iter().enumerate().filter(|&(other, _)| other != n);
                let vanishes = others.any(|(_, other)| other.nonzero && other.low >= -100);
                if vanishes || result >= -97 { SMALLEST } else { EXACT }
            });
            (wanted, spared)
        }
        Size::Lesser | Size::Greater => {
            let compared = a.low >= SMALLEST && b.low >= SMALLEST;
            // Tiny numbers compare alike with large ones. With zeros they do not, but then either
            // choice is tiny.
            let chosen = |other: &Fact| tolerance(result, |t| t.min(other.low));
            ([chosen(b), chosen(a), EXACT, EXACT], Spared { compared, ..nothing })
        }
        Size::Choice { alike } => ([result, result, alike, EXACT], nothing),
        Size::Fraction if a.positive => ([tolerance(result, |t| t), EXACT, EXACT, EXACT], nothing),
        Size::Fraction => ([EXACT; 4], nothing),
        Size::Scaled => {
            // It flushes its operand.
            let k = FACTORS[usize::from(op.aux & 7)].log2() as i16;
            let tiny = tolerance(result, |t| t - k.max(0)).max(FLUSHED);
            ([tiny, EXACT, EXACT, EXACT], nothing)
        }
        // They flush their operands.
        Size::Reciprocal | Size::Function { .. } => ([FLUSHED, EXACT, EXACT, EXACT], nothing),
    }
}

/// Whether a result needs no flush.
fn is_spared(result: Fact, tolerance: i16) -> bool {
    result.low >= SMALLEST || tolerance >= FLUSHED
}

/// A tolerance that follows from that of the result, if that is one for numbers of any sign.
fn tolerance(result: i16, follows: impl Fn(i16) -> i16) -> i16 {
    let follows = if result < SMALLEST { EXACT } else { follows(result).min(ANY) };
    if follows < SMALLEST { EXACT } else { follows }
}

/// The tolerance of a term of a sum with another one. A large term absorbs tiny ones. Next to a small
/// one the sum is small, too.
fn term(other: &Fact, result: i16) -> i16 {
    // Half the distance of the numbers below 2^low.
    let absorbed = other.low.saturating_sub(25);
    let beside_large = if absorbed < SMALLEST { EXACT } else { absorbed.min(ANY) };
    let beside_any = tolerance(result, |t| t - 26);
    let beside_zero = tolerance(result, |t| t - 2);
    let large = if other.nonzero { beside_large } else { beside_large.min(beside_zero) };
    large.max(beside_any)
}
