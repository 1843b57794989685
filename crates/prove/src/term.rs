//! Terms: values of a point as hash-consed expressions. Equal expressions have equal numbers.
//!
//! [`Terms::make`] is the only way to a term. It applies the [rules](crate::rules) until none does,
//! so that values that the rules prove equal are one term. This module knows no instructions.

use crate::cond::Conds;
use crate::rules::{Rule, Set};
use crate::shapes::Loop;
use ctm_isa::float;
use ctm_isa::isa::{FieldValue, LETTERS, Modifier};
use ctm_isa::ops::{Aux, Calc, SWITCH};
use ctm_lang::program::interface::Kind;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub(crate) u32);

/// An unknown that programs start with: any 32 bits. Equal names are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Input {
    /// A channel of the data of that number, see [`Start::Data`](crate::Start).
    Data(u32, u8),
    /// A channel of a float constant.
    Constant(u8, u8),
    /// The uniform of that number. Those of kind `int` are whole, at most [`Kind::LARGEST_INT`] in size; those of kind `bool` are 0 or 1.
    Uniform(u32, Kind),
    /// The point: column (0) or row (1), a number from 0 to 4095.
    Point(u8),
    /// A value that a loop of that number changes: before an iteration, or after the last one.
    Unknown(u32),
}

/// One step of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// These bits.
    Literal(u32),
    /// An unknown.
    Input(Input),
    /// The operand with another sign bit.
    Sign(Modifier, Id),
    /// An operation of the table, with `aux`. Operands that it does not read are the first term.
    Calc(Calc, u16, [Id; 4]),
    /// A channel of the texel at S, T: an unknown function of the input, the flag and the coordinates.
    Texel {
        /// The number of the surface.
        surface: u32,
        /// Whether S and T are texels; else they are scaled by the surface's size.
        unscaled: bool,
        /// The channel.
        channel: u8,
        /// S and T.
        at: [Id; 2],
    },
    /// The operand of a point of the quad: 0 top-left, 1 top-right, 2 bottom-left.
    Quad(u8, Id),
    /// The first term if the atom holds, else the second. Atoms further down have larger numbers.
    Choose(u32, Id, Id),
    /// No value: an output that is not written.
    Absent,
}

/// The facts of a value: all kinds that it may be. Bits of a set.
pub mod may {
    /// A denormal.
    pub const DENORMAL: u8 = 1;
    /// A NaN that is not the canonical one.
    pub const ODD_NAN: u8 = 2;
    /// The canonical NaN.
    pub const NAN: u8 = 4;
    /// -0.
    pub const MINUS_ZERO: u8 = 8;
    /// A number below 0, or -Inf.
    pub const NEGATIVE: u8 = 16;
    /// A number above 1, or Inf.
    pub const ABOVE_ONE: u8 = 32;
    /// Anything.
    pub const ANYTHING: u8 = 63;
    /// Values that arithmetic never gives.
    pub const UNCLEAN: u8 = DENORMAL | ODD_NAN;
    /// A set sign bit, of numbers.
    pub const MINUS: u8 = MINUS_ZERO | NEGATIVE;
}

/// Names of inputs, for texts. Inputs without a name have their numbers there.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Those of data, without the channel.
    pub data: HashMap<u32, String>,
    /// Those of uniforms.
    pub uniforms: HashMap<u32, String>,
    /// Those of surfaces.
    pub surfaces: HashMap<u32, String>,
}

impl Names {
    /// Adds those that are new.
    pub fn add(&mut self, other: &Names) {
        let all = [&mut self.data, &mut self.uniforms, &mut self.surfaces];
        for (to, from) in all.into_iter().zip([&other.data, &other.uniforms, &other.surfaces]) {
            for (&n, name) in from {
                to.entry(n).or_insert_with(|| name.clone());
            }
        }
    }
}

/// All terms of a proof, and the conditions between them.
pub struct Terms {
    /// The names of their inputs.
    pub names: Names,
    nodes: Vec<Node>,
    facts: Vec<u8>,
    /// The instruction that runs when each term is made first.
    made: Vec<Option<u32>>,
    /// The instruction that runs now.
    pub(crate) pc: Option<u32>,
    index: HashMap<Node, Id>,
    /// The conditions.
    pub(crate) conds: Conds,
    /// The loops that have been taken as a whole.
    pub(crate) loops: Vec<Loop>,
    /// The first loop that leaves each unknown, and its place there.
    pub(crate) left: HashMap<Id, (usize, usize)>,
    /// The number of unknowns of loops.
    pub(crate) unknowns: u32,
    set: Set,
    rules: Vec<&'static Rule>,
    /// The results of [`Terms::choose`] and [`Terms::restrict`].
    pub(crate) chosen: HashMap<(crate::Cond, Id, Id), Id>,
    /// Steps left. At 0 terms lose their meaning: the caller must ask [`Terms::is_spent`].
    fuel: u32,
    /// Nested applications of rules, and nested steps of conditions and choices.
    depth: u32,
    nested: u32,
}

/// Nested applications of rules. Real programs need some ten.
const DEPTH: u32 = 200;
/// Nested steps of conditions and choices: one for each atom of the deepest one. They must fit on a stack.
const NESTED: u32 = 1000;

impl Terms {
    /// No terms. `fuel` bounds the steps of the whole proof.
    pub fn new(set: Set, fuel: u32) -> Terms {
        Terms::with_rules(set, set.rules(), fuel)
    }

    /// No terms, with some rules of a set.
    pub(crate) fn with_rules(set: Set, rules: Vec<&'static Rule>, fuel: u32) -> Terms {
        let mut terms = Terms {
            names: Names::default(),
            nodes: Vec::new(),
            facts: Vec::new(),
            made: Vec::new(),
            pc: None,
            index: HashMap::new(),
            conds: Conds::default(),
            loops: Vec::new(),
            left: HashMap::new(),
            unknowns: 0,
            set,
            rules,
            chosen: HashMap::new(),
            fuel,
            depth: 0,
            nested: 0,
        };
        terms.intern(Node::Literal(0));
        terms
    }

    /// The set of its rules.
    pub fn set(&self) -> Set {
        self.set
    }

    /// Whether the bound on steps was reached. All terms made since then are meaningless.
    pub fn is_spent(&self) -> bool {
        self.fuel == 0
    }

    /// Takes one step; false if none is left.
    pub(crate) fn burn(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel != 0
    }

    /// Takes one step, in which others are nested; `None` if none is left, or if they are too many.
    pub(crate) fn nested<T>(&mut self, step: impl FnOnce(&mut Terms) -> T) -> Option<T> {
        if !self.burn() || self.nested == NESTED {
            self.fuel = 0;
            return None;
        }
        self.nested += 1;
        let result = step(self);
        self.nested -= 1;
        Some(result)
    }

    /// The step that a term is.
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id.0 as usize]
    }

    /// All terms, in an order in which a term comes after those that it needs.
    pub fn ids(&self) -> impl Iterator<Item = Id> + use<> {
        (0..self.nodes.len() as u32).map(Id)
    }

    /// The address of the first instruction that computes the value; `None` for what programs start with.
    pub fn made_at(&self, id: Id) -> Option<u32> {
        self.made[id.0 as usize]
    }

    /// The facts about the value: bits of [`may`].
    pub fn facts(&self, id: Id) -> u8 {
        self.facts[id.0 as usize]
    }

    /// Whether the value cannot be any of these.
    pub(crate) fn never(&self, id: Id, what: u8) -> bool {
        self.facts(id) & what == 0
    }

    /// Its bits, if it is a literal.
    pub fn literal_of(&self, id: Id) -> Option<u32> {
        match self.node(id) {
            Node::Literal(bits) => Some(bits),
            _ => None,
        }
    }

    /// A literal.
    pub fn literal(&mut self, bits: u32) -> Id {
        self.make(Node::Literal(bits))
    }

    /// An operation of the table.
    pub fn calc<const N: usize>(&mut self, calc: Calc, aux: u16, operands: [Id; N]) -> Id {
        let mut all = [Id(0); 4];
        for (place, operand) in all.iter_mut().zip(operands) {
            *place = operand;
        }
        self.make(Node::Calc(calc, aux, all))
    }

    /// A value with another sign bit.
    pub fn sign(&mut self, modifier: Modifier, id: Id) -> Id {
        self.make(Node::Sign(modifier, id))
    }

    /// The negated value.
    pub(crate) fn neg(&mut self, id: Id) -> Id {
        self.sign(Modifier::Neg, id)
    }

    /// The term of a step, rewritten by all rules that apply.
    pub fn make(&mut self, node: Node) -> Id {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        if !self.burn() || self.depth == DEPTH {
            self.fuel = 0;
            return Id(0);
        }
        self.depth += 1;
        let found = (0..self.rules.len()).find_map(|n| (self.rules[n].apply)(self, node));
        self.depth -= 1;
        match found {
            Some(id) => {
                self.index.insert(node, id);
                id
            }
            None => self.intern(node),
        }
    }

    /// The term of exactly this step.
    pub(crate) fn intern(&mut self, node: Node) -> Id {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = Id(self.nodes.len() as u32);
        let facts = crate::facts::of(self, node);
        self.nodes.push(node);
        self.facts.push(facts);
        self.made.push(self.pc);
        self.index.insert(node, id);
        id
    }

    /// The operands of a step.
    pub fn operands(node: &Node) -> Vec<Id> {
        match *node {
            Node::Literal(_) | Node::Input(_) | Node::Absent => Vec::new(),
            Node::Sign(_, a) | Node::Quad(_, a) => vec![a],
            Node::Calc(calc, _, operands) => operands[..calc.facts().operands].to_vec(),
            Node::Texel { at, .. } => at.to_vec(),
            Node::Choose(_, yes, no) => vec![yes, no],
        }
    }

    /// The terms that a term needs, with it: what a choice compares, too. Those where `known` holds, and what only they
    /// need, are left out. A term comes after those that it needs.
    pub(crate) fn parts(&self, id: Id, known: impl Fn(Id) -> bool) -> Vec<Id> {
        let (mut found, mut open) = (HashSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            if known(id) || !found.insert(id) {
                continue;
            }
            let node = self.node(id);
            open.extend(Terms::operands(&node));
            if let Node::Choose(atom, ..) = node {
                open.push(self.conds.atom(atom).1);
            }
        }
        let mut parts = Vec::from_iter(found);
        parts.sort_unstable();
        parts
    }

    /// Whether two steps differ at most in their operands.
    pub(crate) fn same_step(&self, a: &Node, b: &Node) -> bool {
        match (*a, *b) {
            (Node::Sign(a, _), Node::Sign(b, _)) => a == b,
            (Node::Quad(a, _), Node::Quad(b, _)) => a == b,
            (Node::Choose(a, ..), Node::Choose(b, ..)) => a == b,
            (Node::Calc(a, x, _), Node::Calc(b, y, _)) => (a, x) == (b, y),
            (
                Node::Texel { surface: a, unscaled: x, channel: i, .. },
                Node::Texel { surface: b, unscaled: y, channel: j, .. },
            ) => (a, x, i) == (b, y, j),
            _ => false,
        }
    }

    /// A term as text, such as `add(product(data0.r, 2), 1)`; parts below `depth` are `...`.
    pub fn text(&self, id: Id, depth: u32) -> String {
        let mut text = String::new();
        self.print(id, depth, &mut text);
        text
    }

    fn print(&self, id: Id, depth: u32, text: &mut String) {
        let node = self.node(id);
        let operands = Terms::operands(&node);
        if depth == 0 && !operands.is_empty() {
            text.push_str("...");
            return;
        }
        let letter = |channel: u8| LETTERS[usize::from(channel & 3)];
        let _ = match node {
            Node::Literal(bits) => write!(text, "{}", number(bits)),
            Node::Input(Input::Data(n, channel)) => {
                let _ = match self.names.data.get(&n) {
                    Some(name) => write!(text, "{name}"),
                    None => write!(text, "data{n}"),
                };
                write!(text, ".{}", letter(channel))
            }
            Node::Input(Input::Constant(n, channel)) => write!(text, "c{n}.{}", letter(channel)),
            Node::Input(Input::Uniform(n, _)) => match self.names.uniforms.get(&n) {
                Some(name) => write!(text, "{name}"),
                None => write!(text, "uniform{n}"),
            },
            Node::Input(Input::Unknown(n)) => write!(text, "loop{n}"),
            Node::Input(Input::Point(0)) => write!(text, "column"),
            Node::Input(Input::Point(_)) => write!(text, "row"),
            Node::Absent => write!(text, "nothing"),
            Node::Sign(modifier, _) => {
                let name = match modifier {
                    Modifier::Nop => "",
                    Modifier::Neg => "neg",
                    Modifier::Abs => "abs",
                    Modifier::Nab => "neg_abs",
                };
                write!(text, "{name}")
            }
            Node::Calc(calc, aux, _) => {
                let facts = &calc.facts().facts;
                match facts.aux {
                    Aux::Modifier => write!(text, "{}_{aux}", facts.name),
                    Aux::ZeroTimes if aux & SWITCH != 0 => write!(text, "{}_z", facts.name),
                    Aux::ZeroTimes | Aux::Own => write!(text, "{}", facts.name),
                }
            }
            Node::Texel { surface, unscaled, channel, .. } => {
                let mode = if unscaled { "texel" } else { "fetch" };
                let _ = match self.names.surfaces.get(&surface) {
                    Some(name) => write!(text, "{mode}_{name}"),
                    None => write!(text, "{mode}{surface}"),
                };
                write!(text, ".{}", letter(channel))
            }
            Node::Quad(n, _) => write!(text, "quad{n}"),
            Node::Choose(atom, ..) => {
                let (check, of) = self.conds.atom(atom);
                let _ = write!(text, "choose({}(", check.name());
                self.print(of, depth - 1, text);
                text.push_str("), ");
                self.print(operands[0], depth - 1, text);
                text.push_str(", ");
                self.print(operands[1], depth - 1, text);
                text.push(')');
                return;
            }
        };
        if !operands.is_empty() {
            text.push('(');
            for (n, operand) in operands.into_iter().enumerate() {
                text.push_str(if n == 0 { "" } else { ", " });
                self.print(operand, depth - 1, text);
            }
            text.push(')');
        }
    }
}

/// A number as text: short if that is exact.
fn number(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if float::is_nan(bits) || (float::is_zero(bits) && float::abs(bits) != 0) {
        format!("0x{bits:08x}")
    } else {
        format!("{value}")
    }
}

/// The bits after a sign modifier.
pub(crate) fn signed(modifier: Modifier, bits: u32) -> u32 {
    float::modify(bits, modifier.code())
}
