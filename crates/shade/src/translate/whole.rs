//! Coordinates that are whole numbers: a constant times a point's column or row, or times the
//! iteration number of a loop, plus another constant.
//!
//! Kernels find their elements from the position that a point starts with, which the program sees
//! as a float, and by adding to it in loops. If a coordinate is certain to be `column * times +
//! plus` (or a row's, or a loop's), a shader needs neither the float arithmetic nor the conversion
//! from a float to a texel.
//!
//! The rule: all intermediate numbers are whole and below 2^23. So sums and products of them are
//! exact in both modes and with any contraction, and their floor is the number itself. Denormals,
//! Inf and NaN cannot occur. -0 may occur; like +0 it is texel 0.

use crate::translate::flow::ops_of;
use crate::translate::state::State;
use crate::translate::tree::{Leave, Node, Tree, each_slot};
use ctm_isa::ops::{Aux, Effect, Encoding, General, Given, Op, is_set};
use ctm_machine::lower::{FetchBits, GateBits, Input, Lowered, NO_ROW, Operand, RowOp, Write};
use std::collections::HashMap;

/// The variable of a number's growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// A point's column i.
    Columns,
    /// A point's row j.
    Rows,
    /// The iterations of a loop before the current one.
    Iterations {
        /// The number of loops around it.
        depth: u8,
        /// The most iterations that it makes.
        count: u8,
    },
}

/// A whole number: `times` columns, rows or iterations, plus `plus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// The variable that it grows with; has no meaning if `times` is 0.
    pub along: Along,
    /// Its growth with each.
    pub times: i32,
    /// Its value at 0.
    pub plus: i32,
}

/// Columns, rows and iterations are below this. A domain has up to 4096 columns and rows, a group
/// reaches up to 63 beyond, and a loop makes up to 255 iterations.
const POSITIONS: i64 = 1 << 13;

/// All numbers are below this.
const MOST: i64 = 1 << 23;

impl Whole {
    fn new(along: Along, times: i64, plus: i64) -> Option<Whole> {
        let small = times.abs() * POSITIONS + plus.abs() < MOST;
        small.then_some(Whole { along, times: times as i32, plus: plus as i32 })
    }

    fn constant(bits: u32) -> Option<Whole> {
        let value = f32::from_bits(bits);
        let whole = value.fract() == 0.0 && f64::from(value).abs() < MOST as f64;
        whole.then(|| Whole::new(Along::Columns, 0, value as i64)).flatten()
    }

    /// The smallest and the largest value, if columns and rows are below `positions`.
    pub fn bounds(self, positions: u32) -> (i32, i32) {
        let last = match self.along {
            Along::Columns | Along::Rows => positions.min(POSITIONS as u32) as i32 - 1,
            Along::Iterations { count, .. } => i32::from(count) - 1,
        };
        let (low, high) = (self.times.min(0), self.times.max(0));
        (self.plus + low * last, self.plus + high * last)
    }

    fn low(self) -> i32 {
        self.bounds(POSITIONS as u32).0
    }

    fn negated(self) -> Whole {
        Whole { times: -self.times, plus: -self.plus, ..self }
    }

    fn sum(self, other: Whole) -> Option<Whole> {
        let along = match (self.times, other.times) {
            (_, 0) => self.along,
            (0, _) => other.along,
            _ if self.along == other.along => self.along,
            _ => return None,
        };
        Whole::new(
            along,
            i64::from(self.times) + i64::from(other.times),
            i64::from(self.plus) + i64::from(other.plus),
        )
    }

    fn product(self, other: Whole) -> Option<Whole> {
        let (growing, factor) = match (self.times, other.times) {
            (_, 0) => (self, other.plus),
            (0, _) => (other, self.plus),
            _ => return None,
        };
        let factor = i64::from(factor);
        Whole::new(
            growing.along,
            i64::from(growing.times) * factor,
            i64::from(growing.plus) * factor,
        )
    }
}

/// Whether a statement can send points to the next iteration of the loop that contains it.
fn continues(node: &Node) -> bool {
    match node {
        Node::Leave { to, .. } => *to == Leave::Continue,
        Node::If { then, otherwise, .. } => then.iter().chain(otherwise).any(continues),
        // A CONTINUE in an inner loop belongs to that loop.
        Node::Run(_) | Node::Loop { .. } => false,
    }
}

/// S and T of each fetch in texels, if both are whole numbers that are the same whenever the fetch
/// is made; by the number of the micro-operation.
pub fn coordinates(lowered: &Lowered, tree: &Tree, state: &State) -> Vec<Option<[Whole; 2]>> {
    let mut walk = Walk {
        lowered,
        state,
        // Points that are not covered are visible only to their neighbours.
        neighbours: lowered.ops.iter().any(|op| op.op == Op::Quad),
        rows: vec![None; lowered.rows as usize],
        depth: 0,
        found: vec![None; lowered.ops.len()],
    };
    walk.start();
    walk.block(&tree.nodes);
    walk.found.into_iter().map(Option::flatten).collect()
}

struct Walk<'a> {
    lowered: &'a Lowered,
    state: &'a State,
    neighbours: bool,
    /// The whole numbers of the rows, where known.
    rows: Vec<Option<Whole>>,
    /// The number of loops around.
    depth: u8,
    /// The coordinates at each fetch reached so far, where known. A subroutine's fetches are
    /// reached at each call.
    found: Vec<Option<Option<[Whole; 2]>>>,
}

impl Walk<'_> {
    fn start(&mut self) {
        for temp in 0..self.lowered.temp_rows.len() / 4 {
            let given = self.state.initial.iter().any(|&t| usize::from(t) == temp);
            let interpolated = self.state.interpolants && (1..=7).contains(&temp);
            if given || interpolated {
                continue;
            }
            for channel in 0..4 {
                let row = self.lowered.temp_rows[4 * temp + channel];
                let value = match (temp, channel) {
                    (0, 0) => Whole::new(Along::Columns, 1, 0),
                    (0, 1) => Whole::new(Along::Rows, 1, 0),
                    _ => Whole::new(Along::Columns, 0, 0),
                };
                if row != NO_ROW {
                    self.set(u32::from(row), value);
                }
            }
        }
    }

    fn set(&mut self, row: u32, value: Option<Whole>) {
        if let Some(known) = self.rows.get_mut(row as usize) {
            *known = value;
        }
    }

    fn block(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Run(slots) => {
                    for pc in slots.clone() {
                        self.slot(pc);
                    }
                }
                Node::If { then, otherwise, .. } => {
                    let before = self.rows.clone();
                    self.block(then);
                    let after = std::mem::replace(&mut self.rows, before);
                    self.block(otherwise);
                    for (row, other) in self.rows.iter_mut().zip(after) {
                        if *row != other {
                            *row = None;
                        }
                    }
                }
                Node::Loop { body, count, .. } => {
                    // A row that an iteration writes is unknown at the start of the next one, and
                    // after the loop, wherever it is left. Rows that every iteration adds to are an
                    // exception.
                    let before = self.rows.clone();
                    self.forget(body);
                    for (row, step) in self.steps(body) {
                        let grown = before[row as usize].and_then(|whole| {
                            let iterations = Along::Iterations { depth: self.depth, count: *count };
                            whole.sum(Whole::new(iterations, i64::from(step), 0)?)
                        });
                        self.set(row, grown);
                    }
                    self.depth += 1;
                    self.block(body);
                    self.depth -= 1;
                    self.forget(body);
                }
                Node::Leave { .. } => {}
            }
        }
    }

    fn forget(&mut self, nodes: &[Node]) {
        each_slot(nodes, &mut |pc| {
            for index in ops_of(self.lowered, pc) {
                self.written(&self.lowered.ops[index], None);
            }
        });
    }

    /// The rows to which each iteration of a loop adds a constant exactly once, with the constant.
    fn steps(&self, body: &[Node]) -> Vec<(u32, i32)> {
        // A point that continues early skips the rest of the iteration, and so its additions.
        let all = !body.iter().any(continues);
        let mut steps: Vec<(u32, i32)> = Vec::new();
        let mut writes: HashMap<u32, u32> = HashMap::new();
        self.count(body, &mut writes);
        for node in body.iter().filter(|_| all) {
            let Node::Run(slots) = node else { continue };
            for pc in slots.clone() {
                let mut gate = 0;
                for op in &self.lowered.ops[ops_of(self.lowered, pc)] {
                    if op.op == Op::Gate {
                        gate = op.aux;
                    }
                    if writes.get(&op.dst) != Some(&1) || !self.for_all(op, gate) {
                        continue;
                    }
                    if let Some(step) = self.step(op) {
                        steps.push((op.dst, step));
                    }
                }
            }
        }
        steps
    }

    /// The constant, if an operation adds a constant to the row that it writes.
    fn step(&self, op: &RowOp) -> Option<i32> {
        let [a, b, c] = multiply_add(op)?;
        let constant = |given| {
            let value = match op.given(given) {
                Input::Operand(operand) => self.operand(operand).filter(|_| operand.is_uniform()),
                Input::Literal(bits) => Whole::constant(bits),
            }?;
            (value.times == 0).then_some(value.plus)
        };
        let is_own = |given| match op.given(given) {
            Input::Operand(operand) => {
                operand.is_row(op.dst) && !operand.has(Operand::ABS | Operand::NEG)
            }
            Input::Literal(_) => false,
        };
        let term = match (constant(a), constant(b)) {
            (_, Some(1)) => a,
            (Some(1), _) => b,
            _ => return None,
        };
        if is_own(term) { constant(c) } else { constant(term).filter(|_| is_own(c)) }
    }

    /// Counts the operations that write each row.
    fn count(&self, nodes: &[Node], writes: &mut HashMap<u32, u32>) {
        each_slot(nodes, &mut |pc| {
            for op in &self.lowered.ops[ops_of(self.lowered, pc)] {
                let any = op.op.facts().effect == Effect::Temporary;
                let rows = if any { 0..self.lowered.rows } else { op.rows() };
                rows.for_each(|row| *writes.entry(row).or_default() += 1);
            }
        });
    }

    /// Whether an operation writes for every visible point.
    fn for_all(&self, op: &RowOp, gate: u16) -> bool {
        let some = GateBits::COVERED | 0xff;
        op.write != Write::Gated
            || gate & some == 0
            || (gate & some == GateBits::COVERED && !self.neighbours)
    }

    fn written(&mut self, op: &RowOp, value: Option<Whole>) {
        if op.op.facts().effect == Effect::Temporary {
            // It may write any of them.
            self.rows.fill(None);
        }
        op.rows().for_each(|row| self.set(row, value));
    }

    fn slot(&mut self, pc: u16) {
        let mut gate = 0;
        for index in ops_of(self.lowered, pc) {
            let op = &self.lowered.ops[index];
            if op.op == Op::Gate {
                gate = op.aux;
            }
            if op.op == Op::Fetch {
                let [s, t, ..] = op.operands;
                let plain = op.aux & (FetchBits::UNSCALED | FetchBits::PROJECT);
                let both = self.operand(s).zip(self.operand(t));
                let now = both.filter(|_| plain == FetchBits::UNSCALED).map(|(s, t)| [s, t]);
                let found = &mut self.found[index];
                *found = Some(match found {
                    None => now,
                    Some(before) => before.filter(|_| *before == now),
                });
            }
            let value = self.value(op).filter(|_| self.for_all(op, gate));
            self.written(op, value);
        }
    }

    fn value(&self, op: &RowOp) -> Option<Whole> {
        let given = |given| match op.given(given) {
            Input::Operand(operand) => self.operand(operand),
            Input::Literal(bits) => Whole::constant(bits),
        };
        if let Some([a, b, c]) = multiply_add(op) {
            return given(a)?.product(given(b)?)?.sum(given(c)?);
        }
        match op.op.facts().code {
            Encoding::General(General::Mov, [a, ..]) => given(a),
            Encoding::General(..) | Encoding::Own(_) => None,
        }
    }

    fn operand(&self, operand: Operand) -> Option<Whole> {
        if operand.is_none() {
            return None;
        }
        let index = operand.index() as usize;
        let mut value = if operand.is_uniform() {
            Whole::constant((*self.state.uniforms.get(index)?)?)?
        } else {
            (*self.rows.get(index)?)?
        };
        if operand.has(Operand::ABS) {
            match (value.low() >= 0, value.times) {
                (true, _) => {}
                (false, 0) => value.plus = value.plus.abs(),
                _ => return None,
            }
        }
        if operand.has(Operand::NEG) {
            value = value.negated();
        }
        Some(value)
    }
}

/// The places of a, b and c, if an operation computes a * b + c.
fn multiply_add(op: &RowOp) -> Option<[Given; 3]> {
    let facts = op.op.facts();
    let clamps = facts.aux == Aux::Modifier && is_set(op.aux);
    match facts.code {
        Encoding::General(General::Mad, [a, b, c]) if !clamps => Some([a, b, c]),
        Encoding::General(..) | Encoding::Own(_) => None,
    }
}
