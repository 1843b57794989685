//! The meaning of each form at one point: what a program computes before and after each pass, to find the pass that changes
//! it.
//!
//! The arithmetic is that of `ctm-isa`. The module knows no engines: the caller has the values of the inputs.

mod blocks;
mod code;
mod flow;
mod schedule;

pub use blocks::Machine;

use crate::code::{Atom, Code, Constant, Does, Operand, Operation, Source};
use crate::copies::{self, LiveOut};
use crate::graph::{Fetch, Op};
use crate::ir::Ir;
use crate::limits::{Exceeded, Limit};
use crate::placement::Placement;
use crate::predicates::{Role, roles};
use crate::rematerialize::rematerialize;
use crate::schedule::Schedule;
use crate::{motion, select};
use ctm_base::work::Work;
use ctm_isa::arithmetic::Operations;
use ctm_isa::float;
use ctm_isa::isa::{AluOp, FieldValue, Omod, Presub};
use ctm_isa::ops::{Formula, SWITCH};
use std::collections::BTreeMap;
use std::fmt;

/// Most blocks that a point runs.
const MAX_BLOCKS: u32 = 1 << 18;

/// The values of a point's inputs.
pub struct Inputs<'a> {
    /// The bits of the scalars of the interface.
    pub scalars: Vec<u32>,
    /// The bits of the varyings.
    pub varyings: Vec<[u32; 4]>,
    /// The element of an input at coordinates.
    pub fetch: &'a dyn Fn(Fetch, [u32; 3]) -> [u32; 4],
}

/// The result of a program at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<V = u32> {
    /// The point ends without outputs.
    pub killed: bool,
    /// The values of outputs, by slot and channel.
    pub outputs: BTreeMap<(u8, u8), V>,
}

impl<V> Outcome<V> {
    fn killed() -> Outcome<V> {
        Outcome { killed: true, outputs: BTreeMap::new() }
    }

    fn of(outputs: BTreeMap<(u8, u8), V>) -> Outcome<V> {
        Outcome { killed: false, outputs }
    }
}

/// The reason why a form has no meaning at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// It runs too long.
    Long,
    /// An operation of the graph that needs other points.
    Node(Op),
    /// An operation that needs other points or memory.
    Operation(Does),
}

impl fmt::Display for Stuck {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stuck::Long => write!(text, "it does not end within {MAX_BLOCKS} blocks"),
            Stuck::Node(op) => write!(text, "no evaluation of {op:?} at one point"),
            Stuck::Operation(does) => write!(text, "no evaluation of {does:?} at one point"),
        }
    }
}

/// A pass whose result has a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The front end: the graph and the blocks, with the rules.
    Rules,
    /// Code motion, and the registers of variables.
    Motion,
    /// The choice of operations.
    Select,
    /// The insertion of copies.
    Copies,
    /// Rematerialization.
    Rematerialize,
    /// The order of operations, and their registers.
    Schedule,
    /// The sources and lanes of instructions.
    Pack,
    /// If-conversion by predicates.
    Predicates,
}

impl Pass {
    /// All, in their order.
    pub const ALL: [Pass; 8] = [
        Pass::Rules,
        Pass::Motion,
        Pass::Select,
        Pass::Copies,
        Pass::Rematerialize,
        Pass::Schedule,
        Pass::Pack,
        Pass::Predicates,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Rules => "rules",
            Pass::Motion => "code motion",
            Pass::Select => "select",
            Pass::Copies => "copies",
            Pass::Rematerialize => "rematerialization",
            Pass::Schedule => "schedule",
            Pass::Pack => "pack",
            Pass::Predicates => "predicates",
        }
    }
}

/// All forms of a program.
pub struct Forms<'a> {
    ir: &'a Ir,
    schedule: &'a Schedule,
    placement: Placement,
    selected: (Code, Vec<LiveOut>),
    copied: Code,
    rematerialized: Option<Code>,
    plain: Vec<Role>,
    roles: Vec<Role>,
}

impl<'a> Forms<'a> {
    /// The forms of the program that became `schedule`.
    ///
    /// # Errors
    /// The budget of work does not suffice to run the passes again.
    pub fn of(ir: &'a Ir, schedule: &'a Schedule, work: &Work<'_>) -> Result<Forms<'a>, Exceeded> {
        let placement = motion::place(ir, work)?;
        let ended = |why| Limit::Work(why).at(0);
        let policy = schedule.code.policy;
        let selected = select::operations(ir, &placement, policy, work).map_err(ended)?;
        let mut copied = selected.0.clone();
        copies::insert(ir, &mut copied, &placement, &selected.1);
        let rematerialized = schedule.code.rematerialized.then(|| {
            let mut code = copied.clone();
            rematerialize(&mut code);
            code
        });
        let plain = vec![Role::Plain; schedule.slots.len()];
        let roles = roles(&schedule.slots, &schedule.code);
        Ok(Forms { ir, schedule, placement, selected, copied, rematerialized, plain, roles })
    }

    /// The result at a point of the form that a pass left.
    ///
    /// # Errors
    /// The form has no meaning at one point, or runs too long.
    pub fn after(&self, pass: Pass, inputs: &Inputs<'_>) -> Result<Outcome, Stuck> {
        let machine = &mut Machine::of(&self.ir.graph);
        let same = &mut |bits| bits;
        let code = |code: &Code, live_outs: &[LiveOut]| {
            code::run(self.ir, &self.placement, code, live_outs, inputs)
        };
        let schedule =
            |packed, roles: &[Role]| schedule::run(self.ir, self.schedule, packed, roles, inputs);
        match pass {
            Pass::Rules => blocks::run(self.ir, None, machine, same, inputs),
            Pass::Motion => blocks::run(self.ir, Some(&self.placement), machine, same, inputs),
            Pass::Select => code(&self.selected.0, &self.selected.1),
            Pass::Copies => code(&self.copied, &[]),
            Pass::Rematerialize => code(self.rematerialized.as_ref().unwrap_or(&self.copied), &[]),
            Pass::Schedule => schedule(false, &self.plain),
            Pass::Pack => schedule(true, &self.plain),
            Pass::Predicates => schedule(true, &self.roles),
        }
    }
}

/// The result of a graph at a point, with any numbers. `decides`: the bits of a number that decides which way the point
/// takes, or what it fetches.
///
/// # Errors
/// As [`Forms::after`].
pub fn graph<N: Operations>(
    ir: &Ir,
    numbers: &mut N,
    decides: &mut dyn FnMut(N::Value) -> u32,
    inputs: &Inputs<'_>,
) -> Result<Outcome<N::Value>, Stuck> {
    blocks::run(ir, None, numbers, decides, inputs)
}

/// The constants of a point: by the iterations of loops.
struct Constants<'a> {
    ir: &'a Ir,
    inputs: &'a Inputs<'a>,
    /// The iteration of each loop, by its first block.
    iterations: Vec<usize>,
}

impl<'a> Constants<'a> {
    fn of(ir: &'a Ir, inputs: &'a Inputs<'a>) -> Constants<'a> {
        Constants { ir, inputs, iterations: vec![0; ir.flow.blocks.len() + 1] }
    }

    /// The bits of an element of a constant array in this iteration.
    fn element(&self, n: u32) -> u32 {
        let array = &self.ir.flow.arrays[n as usize];
        let element = array.values.get(self.iterations[array.head]);
        element.map_or(0, |id| match self.ir.graph.op(*id) {
            Op::Uniform(n) => self.inputs.scalars[n as usize],
            _ => self.ir.graph.bits(*id).unwrap_or(0),
        })
    }

    fn bits(&self, constant: Constant) -> u32 {
        match constant {
            Constant::Literal(bits) => bits,
            Constant::Uniform(n) => self.inputs.scalars[n as usize],
            Constant::Array(n) => self.element(n),
            Constant::Register(..) => {
                let mut all = self.inputs.scalars.iter().zip(0..);
                let own = all.find(|(_, n)| self.ir.constant(*n) == constant);
                own.map_or(0, |(bits, _)| *bits)
            }
        }
    }

    /// The bits of an operand; `value` reads the values of temporaries.
    fn operand(&self, operand: &Operand, value: &dyn Fn(usize) -> u32) -> u32 {
        let atom = |atom| match atom {
            Atom::Value(id) => value(id),
            Atom::Constant(constant) => self.bits(constant),
        };
        let bits = match operand.source {
            Source::Atom(one) => atom(one),
            Source::Presub(presub, [a, b]) => presubtract(presub, atom(a), atom(b)),
        };
        modified(bits, operand.neg, operand.abs)
    }
}

fn modified(bits: u32, neg: bool, abs: bool) -> u32 {
    float::modify(bits, u32::from(abs) << 1 | u32::from(neg))
}

fn presubtract(presub: Presub, a: u32, b: u32) -> u32 {
    match presub {
        Presub::Bias => float::presub_bias(a),
        Presub::Sub => float::presub_sub(a, b),
        Presub::Add => float::presub_add(a, b),
        Presub::Inv => float::presub_inv(a),
    }
}

/// The result of an operation of a lane; `None` if other lanes or points have a part in it.
fn lane(op: AluOp, operands: [u32; 3], zero_times: bool) -> Option<u32> {
    let [a, b, c] = operands;
    match Formula::of(op) {
        Formula::Calc(calc) => {
            Some((calc.facts().exact)([a, b, c, 0], if zero_times { SWITCH } else { 0 }))
        }
        Formula::Dp3 | Formula::Dp4 | Formula::D2a => None,
        Formula::Neighbour(_) | Formula::Other | Formula::Nothing => None,
    }
}

/// The output modifier and the clamp.
fn finished(bits: u32, op: AluOp, omod: Omod, clamp: bool) -> u32 {
    let code = match omod {
        Omod::Disabled if op.is_select() => omod.code(),
        Omod::Disabled => Omod::X1.code(),
        _ => omod.code() | u32::from(clamp) << 3,
    };
    float::finish(bits, code)
}

/// The result of an operation.
fn operation(operation: &Operation, operands: &[u32], zero_times: bool) -> Result<u32, Stuck> {
    let at = |n: usize| operands.get(n).copied().unwrap_or(0);
    let (op, bits) = match operation.does {
        Does::Lane(op) => (op, lane(op, [at(0), at(1), at(2)], zero_times)),
        Does::Dot(3) => (AluOp::Dp3, {
            let [a, b] = [0, 1].map(|side| [0, 1, 2].map(|n| at(2 * n + side)));
            Some(float::dp3(a, b, zero_times))
        }),
        Does::Dot(_) => (AluOp::Dp4, {
            let [a, b] = [0, 1].map(|side| [0, 1, 2, 3].map(|n| at(2 * n + side)));
            Some(float::dp4(a, b, zero_times))
        }),
        Does::Fetch(_) | Does::Kill | Does::Write => return Err(Stuck::Operation(operation.does)),
    };
    let bits = bits.ok_or(Stuck::Operation(operation.does))?;
    Ok(finished(bits, op, operation.omod, operation.clamp))
}
