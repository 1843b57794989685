//! Runs a listing on terms: one point, all inputs.

use super::listing::{
    Atom, Compare, Component, Destination, Fetch, FetchOp, File, Lane, Line, Op, Statement, Unit,
    Value as Read,
};
use super::operations::{self, Lanes, Value};
use ctm_base::stop::Stop;
use ctm_isa::float;
use ctm_isa::isa::{FieldValue, Modifier, Presub};
use ctm_isa::ops::{Calc, SWITCH};
use ctm_prove::cond::Check;
use ctm_prove::term::{Id, Input, Node, Terms};
use ctm_prove::{Cond, Undecided};
use std::cell::RefCell;
use std::collections::BTreeMap;

mod whole;

/// The number of the data of inputs that mean nothing: from here on, by file and register.
pub const UNDEFINED: u32 = 1 << 31;

/// The most iterations of a loop: those of the chip.
const ITERATIONS: u32 = 255;

const BELOW: Check = Check::Compare(1);
const FROM: Check = Check::Compare(2);
const NOT_ZERO: Check = Check::Compare(3);

/// A term as a value of operations.
#[derive(Clone, Copy)]
struct Term<'a> {
    id: Id,
    terms: &'a RefCell<Terms>,
}

impl Term<'_> {
    fn calc<const N: usize>(self, calc: Calc, aux: u16, operands: [Id; N]) -> Self {
        let id = self.terms.borrow_mut().calc(calc, aux, operands);
        Term { id, ..self }
    }

    fn sign(self, modifier: Modifier) -> Self {
        let id = self.terms.borrow_mut().sign(modifier, self.id);
        Term { id, ..self }
    }

    fn choose(self, check: Check, yes: Self, no: Self) -> Self {
        let mut terms = self.terms.borrow_mut();
        let holds = terms.check(check, self.id);
        let id = terms.choose(holds, yes.id, no.id);
        Term { id, ..self }
    }
}

impl Value for Term<'_> {
    fn plus(self, other: Self) -> Self {
        self.calc(Calc::Add, 0, [self.id, other.id])
    }

    fn times(self, other: Self) -> Self {
        self.calc(Calc::Product, SWITCH, [self.id, other.id])
    }

    fn dot(pairs: &[(Self, Self)]) -> Self {
        let products: Vec<Self> = pairs.iter().map(|(a, b)| a.times(*b)).collect();
        match *products {
            [a, b, c, d] => a.calc(Calc::Sum4, 0, [a.id, b.id, c.id, d.id]),
            [a, b, c] => a.calc(Calc::Sum3, 0, [a.id, b.id, c.id]),
            [a, b] => a.plus(b),
            _ => pairs[0].0,
        }
    }

    fn negated(self) -> Self {
        self.sign(Modifier::Neg)
    }

    fn magnitude(self) -> Self {
        self.sign(Modifier::Abs)
    }

    fn greater(self, other: Self) -> Self {
        self.calc(Calc::Max, 0, [self.id, other.id])
    }

    fn lesser(self, other: Self) -> Self {
        self.calc(Calc::Min, 0, [self.id, other.id])
    }

    fn floor(self) -> Self {
        self.minus(self.fraction())
    }

    fn fraction(self) -> Self {
        self.calc(Calc::Frc, 0, [self.id])
    }

    fn reciprocal(self) -> Self {
        self.calc(Calc::Rcp, 0, [self.id])
    }

    fn reciprocal_root(self) -> Self {
        let size = self.magnitude();
        self.calc(Calc::Rsq, 0, [size.id])
    }

    fn logarithm(self) -> Self {
        self.calc(Calc::Ln2, 0, [self.id])
    }

    fn power_of_2(self) -> Self {
        self.calc(Calc::Ex2, 0, [self.id])
    }

    fn sine(self) -> Self {
        self.calc(Calc::Sin, 0, [self.id])
    }

    fn cosine(self) -> Self {
        self.calc(Calc::Cos, 0, [self.id])
    }

    fn below_0(self, yes: Self, no: Self) -> Self {
        self.choose(BELOW, yes, no)
    }

    fn above_half(self, yes: Self, no: Self) -> Self {
        self.choose(Check::AboveHalf, yes, no)
    }

    fn decided_by(self, _: Self) -> Self {
        self
    }
}

/// The settings of a listing's run.
pub struct Setting<'a> {
    /// The terms.
    pub terms: &'a RefCell<Terms>,
    /// A channel of a constant.
    pub constant: &'a dyn Fn(u16, u8) -> Node,
    /// The factor that makes an argument of SIN or COS turns, if it is none.
    pub turns: Option<u32>,
    /// Whether loops are taken as a whole; else they are unrolled.
    pub by_shape: bool,
    /// The stop that ends the run early.
    pub stop: &'a Stop,
}

/// The results of a pass.
pub struct Results {
    /// The outputs that it writes, numbered as the listing does; [`Node::Absent`] where it does not.
    pub outputs: BTreeMap<(File, u16), [Id; 4]>,
    /// Whether the point is not killed.
    pub alive: Cond,
    /// Whether the point makes more than 255 iterations of a loop.
    pub endless: Cond,
}

/// Why there are no results.
pub enum Failure {
    /// Its blocks do not match.
    Reason(String),
    /// The bounds are too narrow, or it was stopped.
    Undecided(Undecided),
}

impl From<Undecided> for Failure {
    fn from(why: Undecided) -> Failure {
        Failure::Undecided(why)
    }
}

/// A block that has begun.
enum Block {
    /// The points before it, and those of its first part.
    If { before: Cond, taken: Cond },
    /// The statement after its beginning; the points that began it, left it, or began the next
    /// iteration; the iterations that have begun.
    Loop { start: usize, before: Cond, left: Cond, skipped: Cond, iterations: u32 },
}

struct Walk<'a> {
    setting: &'a Setting<'a>,
    registers: BTreeMap<Component, Id>,
    outputs: BTreeMap<(File, u16), [Id; 4]>,
    flag: Id,
    active: Cond,
    alive: Cond,
    endless: Cond,
    /// How deeply loops are nested in those that were taken as a whole inside this one.
    height: u32,
}

/// Runs a listing.
///
/// # Errors
/// If its blocks do not match, its terms are too large, or the run was stopped.
pub fn run(lines: &[Line], setting: &Setting<'_>) -> Result<Results, Failure> {
    let flag = Component { file: File::AluResult, index: 0, channel: 0 };
    let flag = setting.terms.borrow_mut().make(undefined(flag));
    let mut walk = Walk {
        setting,
        registers: BTreeMap::new(),
        outputs: BTreeMap::new(),
        flag,
        active: Cond::TRUE,
        alive: Cond::TRUE,
        endless: Cond::FALSE,
        height: 0,
    };
    walk.all(lines)?;
    let Walk { outputs, alive, endless, .. } = walk;
    Ok(Results { outputs, alive, endless })
}

/// The value of a register that nothing has written.
fn undefined(of: Component) -> Node {
    let Component { file, index, channel } = of;
    Node::Input(Input::Data(UNDEFINED | (file as u32) << 16 | u32::from(index), channel))
}

/// The points of `mask` that have not left the innermost loop nor its iteration.
fn remaining(terms: &mut Terms, blocks: &[Block], mask: Cond) -> Cond {
    let inner = blocks.iter().rev().find_map(|block| match block {
        Block::Loop { left, skipped, .. } => Some((*left, *skipped)),
        Block::If { .. } => None,
    });
    let Some((left, skipped)) = inner else { return mask };
    let gone = terms.or(left, skipped);
    without(terms, mask, gone)
}

fn without(terms: &mut Terms, a: Cond, b: Cond) -> Cond {
    let not = terms.not(b);
    terms.and(a, not)
}

impl<'a> Walk<'a> {
    fn all(&mut self, lines: &[Line]) -> Result<(), Failure> {
        let mut blocks: Vec<Block> = Vec::new();
        self.within(lines, &mut blocks)?;
        if blocks.is_empty() {
            return Ok(());
        }
        let line = lines.last().map_or(0, |line| line.number);
        Err(Failure::Reason(format!("line {line}: the listing ends inside a block")))
    }

    /// Runs statements inside blocks that have begun.
    fn within(&mut self, lines: &[Line], blocks: &mut Vec<Block>) -> Result<(), Failure> {
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            self.setting.stop.check().map_err(Undecided::from)?;
            if self.setting.terms.borrow().is_spent() {
                return Err(Undecided::TooLarge.into());
            }
            at += 1;
            let bad = |what| Failure::Reason(format!("line {}: {what}", line.number));
            match &line.statement {
                Statement::Nothing => {}
                Statement::Compute(units) => self.compute(units),
                Statement::Fetch(fetch) => self.fetch(fetch),
                Statement::Kill(operand) => {
                    for lane in operand {
                        let test = self.lane(lane, true).id;
                        let mut terms = self.setting.terms.borrow_mut();
                        let kills = terms.check(Check::Kills, test);
                        let killed = terms.and(self.active, kills);
                        self.alive = without(&mut terms, self.alive, killed);
                    }
                }
                Statement::If(lane) => {
                    let test = self.lane(lane, true).id;
                    let mut terms = self.setting.terms.borrow_mut();
                    let holds = terms.check(NOT_ZERO, test);
                    let (before, taken) = (self.active, terms.and(self.active, holds));
                    self.active = taken;
                    blocks.push(Block::If { before, taken });
                }
                Statement::Else => match blocks.pop() {
                    Some(Block::If { before, taken }) => {
                        let mut terms = self.setting.terms.borrow_mut();
                        let other = without(&mut terms, before, taken);
                        self.active = remaining(&mut terms, blocks, other);
                        // A second ELSE would find no points.
                        blocks.push(Block::If { taken: before, before });
                    }
                    _ => return Err(bad("ELSE without IF")),
                },
                Statement::EndIf => match blocks.pop() {
                    Some(Block::If { before, .. }) => {
                        let mut terms = self.setting.terms.borrow_mut();
                        self.active = remaining(&mut terms, blocks, before);
                    }
                    _ => return Err(bad("ENDIF without IF")),
                },
                Statement::Loop if self.setting.by_shape => at = self.whole(lines, at)?,
                Statement::Loop => blocks.push(Block::Loop {
                    start: at,
                    before: self.active,
                    left: Cond::FALSE,
                    skipped: Cond::FALSE,
                    iterations: 1,
                }),
                Statement::Break | Statement::Continue => {
                    let inner = blocks.iter_mut().rev().find_map(|block| match block {
                        Block::Loop { left, skipped, .. } => Some((left, skipped)),
                        Block::If { .. } => None,
                    });
                    let (left, skipped) =
                        inner.ok_or_else(|| bad("BRK or CONT without BGNLOOP"))?;
                    let set = match line.statement {
                        Statement::Break => left,
                        _ => skipped,
                    };
                    *set = self.setting.terms.borrow_mut().or(*set, self.active);
                    self.active = Cond::FALSE;
                }
                Statement::EndLoop => match blocks.last_mut() {
                    Some(Block::Loop { start, before, left, skipped, iterations }) => {
                        let mut terms = self.setting.terms.borrow_mut();
                        *skipped = Cond::FALSE;
                        self.active = without(&mut terms, *before, *left);
                        *iterations += 1;
                        if *iterations > ITERATIONS {
                            self.endless = terms.or(self.endless, self.active);
                            self.active = Cond::FALSE;
                        }
                        if self.active == Cond::FALSE {
                            self.active = *before;
                            blocks.pop();
                        } else {
                            at = *start;
                        }
                    }
                    _ => return Err(bad("ENDLOOP without BGNLOOP")),
                },
            }
        }
        if self.setting.terms.borrow().is_spent() {
            return Err(Undecided::TooLarge.into());
        }
        Ok(())
    }

    fn term(&self, id: Id) -> Term<'a> {
        Term { id, terms: self.setting.terms }
    }

    fn make(&self, node: Node) -> Term<'a> {
        self.term(self.setting.terms.borrow_mut().make(node))
    }

    /// A component or a constant, of active points or of all.
    fn atom(&self, atom: Atom, only_active: bool) -> Term<'a> {
        let component = match atom {
            Atom::Unused => return self.make(Node::Literal(0)),
            Atom::Bits(bits) => return self.make(Node::Literal(bits)),
            Atom::Component(component) => component,
        };
        let Component { file, index, channel } = component;
        let id = match file {
            File::Const => return self.make((self.setting.constant)(index, channel)),
            File::Input => return self.make(Node::Input(Input::Data(index.into(), channel))),
            File::AluResult => self.flag,
            File::Temp | File::Output | File::Color | File::Depth => {
                match self.registers.get(&component) {
                    Some(id) => *id,
                    None => return self.make(undefined(component)),
                }
            }
        };
        if only_active {
            self.term(self.setting.terms.borrow_mut().restrict(id, self.active))
        } else {
            self.term(id)
        }
    }

    fn lane(&self, lane: &Lane, only_active: bool) -> Term<'a> {
        let value = match lane.value {
            Read::Atom(atom) => self.atom(atom, only_active),
            Read::Presub(op, a, b) => {
                let [a, b] = [a, b].map(|atom| self.atom(atom, only_active));
                let one = self.make(Node::Literal(float::ONE));
                match op {
                    Presub::Bias => one.minus(b.times(self.make(Node::Literal(2.0_f32.to_bits())))),
                    Presub::Inv => one.minus(b),
                    Presub::Sub => a.minus(b),
                    Presub::Add => a.plus(b),
                }
            }
        };
        let value = if lane.abs { value.magnitude() } else { value };
        if lane.negate { value.negated() } else { value }
    }

    /// Writes a value, of active points.
    fn write(&mut self, write: &Destination, value: [Id; 4]) {
        let Destination { file, index, mask } = *write;
        let mut terms = self.setting.terms.borrow_mut();
        for channel in (0..4_u8).filter(|channel| mask >> channel & 1 != 0) {
            let (n, of) = (usize::from(channel), Component { file, index, channel });
            let fresh = terms.make(undefined(of));
            let old = self.registers.get(&of).copied().unwrap_or(fresh);
            self.registers.insert(of, terms.choose(self.active, value[n], old));
            if file != File::Temp {
                let absent = terms.make(Node::Absent);
                let output = self.outputs.entry((file, index)).or_insert([absent; 4]);
                output[n] = terms.choose(self.active, value[n], output[n]);
            }
        }
    }

    fn compute(&mut self, units: &[Unit]) {
        // Both units read before one writes.
        let raw: Vec<[Term<'a>; 4]> = units
            .iter()
            .map(|unit| operations::result(self, unit, operations::needed(unit)))
            .collect();
        for (n, unit) in units.iter().enumerate() {
            let taken = match unit.op {
                Op::ReplAlpha => units.iter().position(|other| other.op != Op::ReplAlpha),
                _ => Some(n),
            };
            let mut value = taken.map_or([self.undefined(); 4], |taken| raw[taken]);
            if unit.op == Op::ReplAlpha {
                value = [value[3]; 4];
            }
            let value = value.map(|x| x.calc(Calc::Finish, unit.finish as u16, [x.id]));
            for write in &unit.writes {
                self.write(write, value.map(|value| value.id));
            }
            if let Some((channel, compare)) = unit.sets_flag {
                let mut terms = self.setting.terms.borrow_mut();
                let holds = match compare {
                    Ok(true) => Cond::TRUE,
                    Ok(false) => Cond::FALSE,
                    Err(compare) => holds(&mut terms, compare, value[usize::from(channel)].id),
                };
                let [no, yes] = [0, float::ONE].map(|bits| terms.literal(bits));
                let flag = terms.choose(holds, yes, no);
                self.flag = terms.choose(self.active, flag, self.flag);
            }
        }
    }

    fn fetch(&mut self, fetch: &Fetch) {
        let [s, t, _, q] = fetch.coordinate.each_ref().map(|lane| self.lane(lane, true));
        let at = match fetch.op {
            FetchOp::Txp => [s, t].map(|x| x.times(q.reciprocal())),
            FetchOp::Tex | FetchOp::Txb | FetchOp::Txl | FetchOp::Txd => [s, t],
        };
        let at = at.map(|coordinate| coordinate.id);
        let value = fetch.swizzle.map(|from| {
            let (surface, unscaled) = (fetch.unit.into(), fetch.unscaled);
            let texel = Node::Texel { surface, unscaled, channel: from.code() as u8, at };
            let texel = self.make(texel);
            let clamp = |texel: Term<'a>| texel.calc(Calc::Finish, SWITCH, [texel.id]);
            if fetch.saturate { clamp(texel).id } else { texel.id }
        });
        self.write(&fetch.write, value);
    }
}

/// The condition of a comparison with 0; NaNs do not count.
fn holds(terms: &mut Terms, compare: Compare, id: Id) -> Cond {
    let check = |terms: &mut Terms, check, modifier| {
        let id = terms.sign(modifier, id);
        terms.check(check, id)
    };
    match compare {
        Compare::Less => check(terms, BELOW, Modifier::Nop),
        Compare::Equal => check(terms, Check::Compare(0), Modifier::Nop),
        Compare::LessEqual => check(terms, FROM, Modifier::Neg),
        Compare::Greater => check(terms, BELOW, Modifier::Neg),
        Compare::NotEqual => check(terms, NOT_ZERO, Modifier::Nop),
        Compare::GreaterEqual => check(terms, FROM, Modifier::Nop),
    }
}

impl<'a> Lanes for Walk<'a> {
    type Value = Term<'a>;

    fn literal(&self, bits: u32) -> Term<'a> {
        self.make(Node::Literal(bits))
    }

    fn undefined(&self) -> Term<'a> {
        self.make(undefined(Component { file: File::AluResult, index: 1, channel: 0 }))
    }

    fn lane(&self, lane: &Lane) -> Term<'a> {
        Walk::lane(self, lane, true)
    }

    fn turns(&self, x: Term<'a>) -> Term<'a> {
        match self.setting.turns {
            None => x,
            Some(factor) => x.times(self.literal(factor)).fraction(),
        }
    }

    fn difference(&self, unit: &Unit, next: (usize, usize)) -> [Term<'a>; 4] {
        [0, 1, 2, 3].map(|channel| {
            let value = Walk::lane(self, &unit.operands[0][channel], false).id;
            let factor = if unit.operands[1][channel].is_used() {
                Walk::lane(self, &unit.operands[1][channel], true)
            } else {
                self.literal(float::ONE).negated()
            };
            let [first, other] = [0, 1 + u8::from(next.0 == 0)].map(|n| Node::Quad(n, value));
            self.make(first).times(factor).plus(self.make(other))
        })
    }
}
