//! From the graph to operations of the machine: which nodes an operation takes in.
//!
//! A product goes into the sum that uses it (MAD), a sum into its users (presubtract), a factor of 2 into the output
//! modifier, signs into input modifiers. A node that several operations use goes into all of them or none.

use crate::build::Built;
use crate::graph::{Fetch, Graph, Id, NONE, Op};
use ctm_isa::isa::{AluOp, Omod, Presub};
use std::collections::HashMap;

/// A number that comes from a constant register, or from the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// The bits of a float.
    Literal(u32),
    /// A number of the job.
    Uniform(u32),
}

/// The index of a value in [`Code::values`].
pub type ValueId = usize;

/// A number that an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A value in a temporary.
    Value(ValueId),
    /// A constant.
    Constant(Constant),
}

/// What an operand reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A number.
    Atom(Atom),
    /// A presubtract of sources 0 and 1; those with one source have it twice.
    Presub(Presub, [Atom; 2]),
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// What it reads.
    pub source: Source,
    /// The sign is changed, after `abs`.
    pub neg: bool,
    /// Its magnitude.
    pub abs: bool,
}

impl Operand {
    /// A literal.
    pub fn literal(value: f32) -> Operand {
        let source = Source::Atom(Atom::Constant(Constant::Literal(value.to_bits())));
        Operand { source, neg: false, abs: false }
    }

    /// The atoms that it reads.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + use<> {
        let (first, second) = match self.source {
            Source::Atom(atom) => (atom, None),
            Source::Presub(presub, [a, b]) => (a, Some(b).filter(|_| presub.sources() == 2)),
        };
        [Some(first), second].into_iter().flatten()
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// An operation of a lane. SOP, DP and dot products are not among them.
    Lane(AluOp),
    /// A dot product of 3 or 4 pairs; the operands are a0, b0, a1, b1, ...
    Dot(u8),
    /// A fetch.
    Fetch(Fetch),
    /// Ends the point if an operand is below zero.
    Kill,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What it does.
    pub does: Does,
    /// What it reads.
    pub operands: Vec<Operand>,
    /// The output modifier.
    pub omod: Omod,
    /// The result is limited to [0, 1].
    pub clamp: bool,
    /// The output and the channels of it that take the result: bit 0 R to bit 3 A.
    pub out: Option<(u8, u8)>,
    /// The values that it makes: one, or for a fetch one for each channel.
    pub results: Vec<Option<ValueId>>,
    /// Offset of the source.
    pub origin: u32,
}

/// A value in a temporary.
#[derive(Clone, Debug, Default)]
pub struct Value {
    /// The operation that makes it; `None` for a varying.
    pub made: Option<usize>,
    /// The varying and its channel.
    pub input: Option<(u32, u8)>,
    /// The group whose members share a register, and the place in it.
    pub group: Option<(usize, u8)>,
}

/// Values that should be in one register.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The number of members.
    pub members: u8,
    /// They must be.
    pub strict: bool,
}

/// The operations of a program, in an order in which they could run.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The operations.
    pub operations: Vec<Operation>,
    /// The values.
    pub values: Vec<Value>,
    /// The groups.
    pub groups: Vec<Group>,
}

/// Choices for which neither side is always better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Products go into sums.
    pub mad: bool,
    /// Sums go into presubtracts before products go into them.
    pub presubtract_first: bool,
    /// Sums go into presubtracts.
    pub presubtract: bool,
    /// Dot products stay.
    pub dot: bool,
    /// Only exact rules.
    pub precise: bool,
}

/// A user of a node: its id, or `NONE` for an output; the operand; whether through a sign.
#[derive(Clone, Copy)]
struct Use {
    user: Id,
    abs: bool,
}

struct Selector<'g> {
    graph: &'g Graph,
    policy: Policy,
    uses: Vec<Vec<Use>>,
    /// Products that go into all their sums.
    fused: Vec<bool>,
    /// The product that a sum takes in.
    takes: Vec<Id>,
    /// Sums that go into all their users.
    presub: Vec<Option<(Presub, [Id; 2], bool)>>,
    /// Nodes that become a modifier of their operand.
    absorbed: Vec<bool>,
    code: Code,
    /// The value of each node.
    made: HashMap<Id, ValueId>,
    /// Coordinates of fetches so far.
    coordinates: HashMap<Vec<Id>, Vec<ValueId>>,
}

/// Selects operations.
pub fn select(built: &Built, policy: Policy) -> Code {
    let graph = &built.graph;
    let count = graph.len();
    let mut this = Selector {
        graph,
        policy,
        uses: vec![Vec::new(); count],
        fused: vec![false; count],
        takes: vec![NONE; count],
        presub: vec![None; count],
        absorbed: vec![false; count],
        code: Code::default(),
        made: HashMap::new(),
        coordinates: HashMap::new(),
    };
    this.count_uses(built);
    if policy.presubtract && policy.presubtract_first {
        this.presubtracts();
    }
    if policy.mad {
        this.products();
    }
    if policy.presubtract && !policy.presubtract_first {
        this.presubtracts();
    }
    this.modifiers();
    this.generate(built);
    this.groups();
    this.code
}

impl Selector<'_> {
    /// A node without signs, and the signs.
    fn peel(&self, mut id: Id) -> (Id, bool, bool) {
        let (mut neg, mut abs) = (false, false);
        loop {
            match self.graph.op(id) {
                Op::Neg => neg ^= !abs,
                Op::Abs => abs = true,
                _ => return (id, neg, abs),
            }
            id = self.graph.arg(id, 0);
        }
    }

    fn count_uses(&mut self, built: &Built) {
        let mut reached = vec![false; self.graph.len()];
        let mut roots: Vec<Id> = built.outputs.iter().map(|(.., id)| *id).collect();
        roots.extend(built.kills.iter().map(|kill| self.kill_root(*kill)));
        for root in roots {
            let (base, _, abs) = self.peel(root);
            reached[base as usize] = true;
            self.uses[base as usize].push(Use { user: NONE, abs });
        }
        for id in (0..self.graph.len() as Id).rev() {
            if !reached[id as usize] {
                continue;
            }
            for operand in self.graph.node(id).operands() {
                let (base, _, abs) = self.peel(operand);
                reached[base as usize] = true;
                self.uses[base as usize].push(Use { user: id, abs });
            }
        }
    }

    /// The node that decides whether a point ends.
    fn kill_root(&self, kill: Id) -> Id {
        self.graph.test(kill).map_or(kill, |(c, _)| c)
    }

    /// Whether TEXKILL can take a value's sign bit for "below zero": it is no -0, but where a sum or an input is.
    fn has_true_sign(&self, id: Id, depth: u32) -> bool {
        let args = |n: &[usize]| {
            depth > 0 && n.iter().all(|n| self.has_true_sign(self.graph.arg(id, *n), depth - 1))
        };
        match self.graph.op(id) {
            Op::Add | Op::Dot(_) | Op::Input(_) | Op::Uniform(_) | Op::Texel(_) => true,
            Op::Min | Op::Max | Op::Cmp => args(&[0, 1]),
            _ => false,
        }
    }

    /// Decides which products go into sums.
    fn products(&mut self) {
        for id in (0..self.graph.len()).rev() {
            let uses = &self.uses[id];
            let fits = |one: &Use| {
                one.user != NONE
                    && !one.abs
                    && self.graph.op(one.user) == Op::Add
                    && self.takes[one.user as usize] == NONE
                    && self.presub[one.user as usize].is_none()
            };
            // 1 - 2 a can be a presubtract.
            let bias = |one: &Use| {
                let sum = self.graph.node(one.user);
                self.policy.presubtract
                    && sum.args[..2]
                        .iter()
                        .any(|id| self.graph.value(*id).is_some_and(|value| value.abs() == 1.0))
            };
            let two = |id| self.graph.value(id).is_some_and(|value| value.abs() == 2.0);
            if self.graph.op(id as Id) == Op::Mul && !uses.is_empty() && uses.iter().all(fits) {
                if two(self.graph.arg(id as Id, 1)) && uses.len() == 1 && bias(&uses[0]) {
                    continue;
                }
                let users: Vec<Id> = uses.iter().map(|one| one.user).collect();
                // The zero 0 * infinity has no sign: the sign of a product is not that of a factor.
                let negated = |user: &Id| {
                    let sum = self.graph.node(*user);
                    sum.args[..2].iter().any(|arg| {
                        let (base, neg, _) = self.peel(*arg);
                        neg && base as usize == id
                    })
                };
                let signed = self
                    .graph
                    .value(self.graph.arg(id as Id, 1))
                    .is_some_and(|factor| factor != 0.0 && factor.is_finite());
                if self.policy.precise && !signed && users.iter().any(negated) {
                    continue;
                }
                // Both operands of a sum cannot be the same product.
                if users.iter().enumerate().any(|(n, user)| users[..n].contains(user)) {
                    continue;
                }
                self.fused[id] = true;
                for user in users {
                    self.takes[user as usize] = id as Id;
                }
            }
        }
    }

    /// A sum as a presubtract: the operation, sources 0 and 1, and whether the result has the other sign.
    fn as_presub(&self, id: Id) -> Option<(Presub, [Id; 2], bool)> {
        let node = self.graph.node(id);
        if node.op != Op::Add || self.takes[id as usize] != NONE {
            return None;
        }
        let [x, y] = [0, 1].map(|n| self.peel(node.args[n]));
        if x.2 || y.2 {
            return None;
        }
        let inexact = !self.policy.precise;
        if self.graph.is(y.0, 1.0) && !y.1 || self.graph.is(y.0, -1.0) && inexact {
            let minus_one = self.graph.is(y.0, -1.0);
            if x.1 != minus_one {
                // 1 - 2 a
                let inner = self.graph.node(x.0);
                if inner.op == Op::Mul
                    && self.graph.is(inner.args[1], 2.0)
                    && self.uses[x.0 as usize].len() == 1
                {
                    let (base, neg, abs) = self.peel(inner.args[0]);
                    if !neg && !abs && self.readable(base) {
                        return Some((Presub::Bias, [base, base], minus_one));
                    }
                }
                return self.readable(x.0).then_some((Presub::Inv, [x.0, x.0], minus_one));
            }
            let inner = self.graph.node(x.0);
            if inner.op == Op::Mul
                && self.graph.is(inner.args[1], -2.0)
                && !minus_one
                && self.uses[x.0 as usize].len() == 1
            {
                let (base, neg, abs) = self.peel(inner.args[0]);
                if !neg && !abs && self.readable(base) {
                    return Some((Presub::Bias, [base, base], false));
                }
            }
        }
        if !self.readable(x.0) || !self.readable(y.0) {
            return None;
        }
        match (x.1, y.1) {
            (false, false) => Some((Presub::Add, [x.0, y.0], false)),
            (false, true) => Some((Presub::Sub, [y.0, x.0], false)),
            (true, false) => Some((Presub::Sub, [x.0, y.0], false)),
            (true, true) => inexact.then_some((Presub::Add, [x.0, y.0], true)),
        }
    }

    /// Whether a node is in a register, or a constant.
    fn readable(&self, id: Id) -> bool {
        self.presub[id as usize].is_none() && !self.fused[id as usize]
    }

    /// Sums that are all factors of one side of a dot product, and have no other user.
    fn dot_presubtracts(&mut self) {
        for id in (0..self.graph.len() as Id).rev() {
            if !matches!(self.graph.op(id), Op::Dot(_)) || self.uses[id as usize].is_empty() {
                continue;
            }
            let args: Vec<Id> = self.graph.node(id).operands().collect();
            let sides = [0, 1].map(|side| {
                args.iter().skip(side).step_by(2).map(|arg| self.peel(*arg)).collect::<Vec<_>>()
            });
            let square = sides[0] == sides[1];
            for side in &sides[..if square { 1 } else { 2 }] {
                let factors: Vec<_> =
                    side.iter().filter(|factor| !self.graph.is(factor.0, 0.0)).collect();
                let sums: Vec<_> = factors
                    .iter()
                    .filter_map(|factor| Some((factor.0, self.as_presub(factor.0)?)))
                    .collect();
                let alike = |one: &(Id, (Presub, [Id; 2], bool))| {
                    let (presub, _, flipped) = one.1;
                    let only = self.uses[one.0 as usize].iter().all(|found| found.user == id);
                    only && (presub, flipped) == (sums[0].1.0, sums[0].1.2)
                };
                let signs =
                    factors.windows(2).all(|two| (two[0].1, two[0].2) == (two[1].1, two[1].2));
                if sums.len() == factors.len()
                    && !sums.is_empty()
                    && signs
                    && sums.iter().all(alike)
                {
                    for (sum, presub) in sums {
                        self.presub[sum as usize] = Some(presub);
                    }
                    break;
                }
            }
        }
    }

    /// Decides which sums go into their users.
    fn presubtracts(&mut self) {
        if self.policy.dot {
            self.dot_presubtracts();
        }
        let mut busy: Vec<Id> = vec![NONE; self.graph.len()];
        for id in (0..self.graph.len() as Id).rev() {
            if self.presub[id as usize].is_some() {
                continue;
            }
            let Some(presub) = self.as_presub(id) else { continue };
            let uses = &self.uses[id as usize];
            let fits = |one: &Use| {
                if one.user == NONE {
                    return false;
                }
                let user = self.graph.node(one.user);
                let takes = match user.op {
                    Op::Mul | Op::Min | Op::Max | Op::Cmp | Op::Frc | Op::Clamp => true,
                    Op::Ex2 | Op::Ln2 | Op::Rcp | Op::Rsq | Op::Sin | Op::Cos => true,
                    Op::Add => self.presub[one.user as usize].is_none(),
                    Op::Dot(_) => false,
                    Op::Literal(_)
                    | Op::Uniform(_)
                    | Op::Input(_)
                    | Op::Neg
                    | Op::Abs
                    | Op::Dx
                    | Op::Dy
                    | Op::Fetch(_)
                    | Op::Texel(_) => false,
                };
                // A product that goes into a sum brings that sum's operand.
                let fused = self.fused[one.user as usize];
                let owner = self.takes[one.user as usize];
                let free = busy[one.user as usize] == NONE
                    && !fused
                    && (owner == NONE || busy[owner as usize] == NONE);
                takes && free && self.room(one.user, id, presub)
            };
            if !uses.is_empty() && uses.iter().all(fits) {
                for one in uses.clone() {
                    busy[one.user as usize] = id;
                }
                self.presub[id as usize] = Some(presub);
            }
        }
    }

    /// Whether an operation has sources for a presubtract and its other operands.
    fn room(&self, user: Id, sum: Id, (presub, sources, _): (Presub, [Id; 2], bool)) -> bool {
        let mut others: Vec<Id> = Vec::new();
        let mut operands: Vec<Id> = self.graph.node(user).operands().collect();
        let taken = self.takes[user as usize];
        if taken != NONE {
            operands.retain(|id| self.peel(*id).0 != taken);
            operands.extend(self.graph.node(taken).operands());
        }
        for operand in operands {
            let (base, ..) = self.peel(operand);
            let swizzled =
                self.graph.value(base).is_some_and(|value| matches!(value.abs(), 0.0 | 0.5 | 1.0));
            if base != sum && !swizzled && !sources.contains(&base) && !others.contains(&base) {
                if self.presub[base as usize].is_some() {
                    return false;
                }
                others.push(base);
            }
        }
        others.len() + presub.sources() <= 3
    }

    /// Whether an operation can carry the output modifier or the clamp of its only user.
    fn carries(&self, id: Id) -> bool {
        let operation = match self.graph.op(id) {
            Op::Add
            | Op::Mul
            | Op::Min
            | Op::Max
            | Op::Cmp
            | Op::Frc
            | Op::Ex2
            | Op::Ln2
            | Op::Rcp
            | Op::Rsq
            | Op::Sin
            | Op::Cos
            | Op::Dot(_) => true,
            Op::Literal(_)
            | Op::Uniform(_)
            | Op::Input(_)
            | Op::Neg
            | Op::Abs
            | Op::Clamp
            | Op::Dx
            | Op::Dy
            | Op::Fetch(_)
            | Op::Texel(_) => false,
        };
        operation
            && self.uses[id as usize].len() == 1
            && self.presub[id as usize].is_none()
            && !self.fused[id as usize]
    }

    /// The output modifier that a product with a literal is.
    fn omod(value: f32) -> Option<Omod> {
        match value {
            2.0 => Some(Omod::X2),
            4.0 => Some(Omod::X4),
            8.0 => Some(Omod::X8),
            0.5 => Some(Omod::Div2),
            0.25 => Some(Omod::Div4),
            0.125 => Some(Omod::Div8),
            _ => None,
        }
    }

    /// Decides which products and clamps become modifiers of their operand's operation.
    fn modifiers(&mut self) {
        for id in 0..self.graph.len() as Id {
            let node = self.graph.node(id);
            let operand = node.args[0];
            if self.uses[id as usize].is_empty() || self.fused[id as usize] {
                continue;
            }
            self.absorbed[id as usize] = match node.op {
                Op::Clamp => self.carries(operand),
                Op::Mul => {
                    let factor = self.graph.value(node.args[1]);
                    // The operand's own modifier is free.
                    factor.and_then(Self::omod).is_some()
                        && self.carries(operand)
                        && !self.absorbed[operand as usize]
                }
                _ => false,
            };
        }
    }

    fn generate(&mut self, built: &Built) {
        let needed: Vec<Id> =
            (0..self.graph.len() as Id).filter(|id| !self.uses[*id as usize].is_empty()).collect();
        let mut uses: HashMap<Id, Vec<(u8, u8)>> = HashMap::new();
        let mut order: Vec<Id> = Vec::new();
        for (slot, channel, id) in &built.outputs {
            let list = uses.entry(*id).or_default();
            if list.is_empty() {
                order.push(*id);
            }
            list.push((*slot, *channel));
        }
        for id in needed {
            self.node(id);
        }
        for id in order {
            let mut rest = uses.remove(&id).unwrap_or_default();
            // Each output takes the value from one operation.
            while let Some((slot, _)) = rest.first().copied() {
                let mask = rest
                    .iter()
                    .filter(|(other, _)| *other == slot)
                    .fold(0, |mask, (_, channel)| mask | 1 << channel);
                rest.retain(|(other, _)| *other != slot);
                self.out(id, slot, mask);
            }
        }
        let mut kills: Vec<Operand> = Vec::new();
        let mut distinct: Vec<Id> = Vec::new();
        for kill in &built.kills {
            if !distinct.contains(kill) {
                distinct.push(*kill);
            }
        }
        for kill in distinct {
            let [zero, minus] = [0.0, -1.0].map(Operand::literal);
            let value = match self.graph.test(kill) {
                Some((c, false)) if !self.policy.precise && self.has_true_sign(c, 8) => {
                    self.in_register(c, None)
                }
                Some((c, not_below)) => {
                    let [yes, no] = if not_below { [minus, zero] } else { [zero, minus] };
                    let operand = self.operand(c);
                    self.push(Does::Lane(AluOp::Cmp), vec![yes, no, operand], kill)
                }
                // The sign of what is 1 or 0.
                None => {
                    let operand = self.operand(kill);
                    let half = Operand::literal(0.5);
                    self.push(Does::Lane(AluOp::Mad), vec![operand, minus, half], kill)
                }
            };
            let source = Source::Atom(Atom::Value(value));
            kills.push(Operand { source, neg: false, abs: false });
        }
        for kill in kills {
            let origin = match kill.source {
                Source::Atom(Atom::Value(value)) => {
                    self.code.values[value].made.map_or(0, |made| self.code.operations[made].origin)
                }
                _ => 0,
            };
            self.code.operations.push(Operation {
                does: Does::Kill,
                operands: vec![kill],
                omod: Omod::X1,
                clamp: false,
                out: None,
                results: Vec::new(),
                origin,
            });
        }
    }

    /// Appends an operation with one result.
    fn push(&mut self, does: Does, operands: Vec<Operand>, node: Id) -> ValueId {
        let value = self.code.values.len();
        self.code.values.push(Value { made: Some(self.code.operations.len()), ..Value::default() });
        self.code.operations.push(Operation {
            does,
            operands,
            omod: Omod::X1,
            clamp: false,
            out: None,
            results: vec![Some(value)],
            origin: self.graph.origin_of(node),
        });
        value
    }

    /// Makes the operation of a node, if it has one of its own. Its operands have theirs already.
    fn node(&mut self, id: Id) {
        let node = self.graph.node(id);
        if self.fused[id as usize]
            || self.presub[id as usize].is_some()
            || self.made.contains_key(&id)
        {
            return;
        }
        if self.absorbed[id as usize] {
            let inner = node.args[0];
            // The operand's operation exists, and nothing else uses it.
            if let Some(value) = self.made.get(&inner).copied()
                && let Some(made) = self.code.values[value].made
            {
                let operation = &mut self.code.operations[made];
                if node.op == Op::Clamp {
                    operation.clamp = true;
                } else if let Some(omod) = self.graph.value(node.args[1]).and_then(Self::omod) {
                    operation.omod = omod;
                }
                operation.origin = self.graph.origin_of(id);
                self.made.insert(id, value);
                return;
            }
        }
        let lane = |op| Does::Lane(op);
        let [zero, one] = [0.0, 1.0].map(Operand::literal);
        let zero = if self.policy.precise { Operand::literal(-0.0) } else { zero };
        let (does, operands) = match node.op {
            Op::Literal(_) | Op::Uniform(_) | Op::Neg | Op::Abs => return,
            Op::Input(n) => {
                let value = self.code.values.len();
                self.code
                    .values
                    .push(Value { input: Some((n / 4, (n % 4) as u8)), ..Value::default() });
                self.made.insert(id, value);
                return;
            }
            Op::Texel(channel) => {
                let Some(fetch) = self.made.get(&node.args[0]).copied() else { return };
                let value = self.code.values.len();
                self.code.values.push(Value { made: Some(fetch), ..Value::default() });
                self.code.operations[fetch].results[channel as usize] = Some(value);
                self.made.insert(id, value);
                return;
            }
            Op::Fetch(fetch) => {
                let operands = self.coordinates(&node.operands().collect::<Vec<_>>());
                // The operation's index stands for the node; its texels are the values.
                self.made.insert(id, self.code.operations.len());
                self.code.operations.push(Operation {
                    does: Does::Fetch(fetch),
                    operands,
                    omod: Omod::X1,
                    clamp: false,
                    out: None,
                    results: vec![None; 4],
                    origin: self.graph.origin_of(id),
                });
                return;
            }
            Op::Add => {
                let taken = self.takes[id as usize];
                if taken != NONE {
                    let [x, y] = [0, 1].map(|n| self.peel(node.args[n]));
                    let ((_, neg, _), other) =
                        if x.0 == taken { (x, node.args[1]) } else { (y, node.args[0]) };
                    let [mut a, b] = [0, 1].map(|n| self.operand(self.graph.arg(taken, n)));
                    a.neg ^= neg;
                    (lane(AluOp::Mad), vec![a, b, self.operand(other)])
                } else {
                    let [x, y] = [0, 1].map(|n| self.operand(node.args[n]));
                    (lane(AluOp::Mad), vec![x, one, y])
                }
            }
            Op::Mul => {
                let [x, y] = [0, 1].map(|n| self.operand(node.args[n]));
                (lane(AluOp::Mad), vec![x, y, zero])
            }
            Op::Clamp => (lane(AluOp::Mad), vec![self.operand(node.args[0]), one, zero]),
            Op::Min | Op::Max => {
                let [x, y] = [0, 1].map(|n| self.operand(node.args[n]));
                (lane(if node.op == Op::Min { AluOp::Min } else { AluOp::Max }), vec![x, y])
            }
            Op::Cmp => (lane(AluOp::Cmp), [0, 1, 2].map(|n| self.operand(node.args[n])).to_vec()),
            Op::Frc | Op::Ex2 | Op::Ln2 | Op::Rcp | Op::Rsq | Op::Sin | Op::Cos => {
                let op = match node.op {
                    Op::Frc => AluOp::Frc,
                    Op::Ex2 => AluOp::Ex2,
                    Op::Ln2 => AluOp::Ln2,
                    Op::Rcp => AluOp::Rcp,
                    Op::Rsq => AluOp::Rsq,
                    Op::Sin => AluOp::Sin,
                    _ => AluOp::Cos,
                };
                (lane(op), vec![self.operand(node.args[0])])
            }
            Op::Dx | Op::Dy => {
                let op = if node.op == Op::Dx { AluOp::Mdh } else { AluOp::Mdv };
                let value = self.in_register(node.args[0], None);
                let source = Source::Atom(Atom::Value(value));
                (lane(op), vec![Operand { source, neg: false, abs: false }])
            }
            Op::Dot(n) => {
                let operands: Vec<Operand> = node.operands().map(|arg| self.operand(arg)).collect();
                if self.policy.dot {
                    (Does::Dot(n), operands)
                } else {
                    let value = self.sum_of_products(&operands, id);
                    self.made.insert(id, value);
                    return;
                }
            }
        };
        let value = self.push(does, operands, id);
        if let (Op::Clamp, Some(operation)) = (node.op, self.code.operations.last_mut()) {
            operation.clamp = true;
        }
        self.made.insert(id, value);
    }

    /// A dot product as products and sums.
    fn sum_of_products(&mut self, operands: &[Operand], node: Id) -> ValueId {
        let mut sum = Operand::literal(0.0);
        let mut value = 0;
        for pair in operands.chunks(2) {
            let zero = |operand: &Operand| *operand == Operand::literal(0.0);
            if !zero(&pair[0]) && !zero(&pair[1]) {
                value = self.push(Does::Lane(AluOp::Mad), vec![pair[0], pair[1], sum], node);
                sum = Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false };
            }
        }
        value
    }

    fn atom(&mut self, base: Id) -> Atom {
        match self.graph.op(base) {
            Op::Literal(bits) => Atom::Constant(Constant::Literal(bits)),
            Op::Uniform(n) => Atom::Constant(Constant::Uniform(n)),
            _ => {
                self.node(base);
                Atom::Value(self.made.get(&base).copied().unwrap_or_default())
            }
        }
    }

    /// A node as an operand.
    fn operand(&mut self, id: Id) -> Operand {
        let (base, mut neg, abs) = self.peel(id);
        if let Some((presub, sources, flipped)) = self.presub[base as usize] {
            neg ^= flipped && !abs;
            let sources = sources.map(|source| self.atom(source));
            return Operand { source: Source::Presub(presub, sources), neg, abs };
        }
        if let Op::Literal(bits) = self.graph.op(base) {
            let value = f32::from_bits(bits);
            let value = if abs { value.abs() } else { value };
            return Operand::literal(if neg { -value } else { value });
        }
        Operand { source: Source::Atom(self.atom(base)), neg, abs }
    }

    /// The value of a node in a register; copied if it is not, or if `group` needs a copy of its own.
    fn in_register(&mut self, id: Id, group: Option<usize>) -> ValueId {
        let operand = self.operand(id);
        if let Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false } =
            operand
        {
            let made = self.code.values[value].made;
            let plain = made.is_some_and(|made| {
                matches!(self.code.operations[made].does, Does::Lane(_) | Does::Dot(_))
            });
            if group.is_none() || plain && self.code.values[value].group.is_none() {
                return value;
            }
        }
        self.copy(operand, id)
    }

    fn copy(&mut self, operand: Operand, node: Id) -> ValueId {
        let zero = Operand::literal(if self.policy.precise { -0.0 } else { 0.0 });
        self.push(Does::Lane(AluOp::Mad), vec![operand, Operand::literal(1.0), zero], node)
    }

    /// The coordinates of a fetch, in one register.
    fn coordinates(&mut self, nodes: &[Id]) -> Vec<Operand> {
        let values = match self.coordinates.get(nodes) {
            Some(values) => values.clone(),
            None => {
                let values = self.gather(nodes);
                self.coordinates.insert(nodes.to_vec(), values.clone());
                values
            }
        };
        let operand =
            |value| Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false };
        values.into_iter().map(operand).collect()
    }

    fn gather(&mut self, nodes: &[Id]) -> Vec<ValueId> {
        // Components of one varying or of one fetch are together.
        let together = |graph: &Graph| {
            let key = |id: Id| match graph.op(id) {
                Op::Input(n) => Some((n / 4, NONE)),
                Op::Texel(_) => Some((NONE, graph.arg(id, 0))),
                _ => None,
            };
            let first = key(nodes[0]);
            first.is_some() && nodes.iter().all(|id| key(*id) == first)
        };
        if nodes.iter().all(|id| *id == nodes[0]) {
            return vec![self.in_register(nodes[0], None); nodes.len()];
        }
        if together(self.graph) {
            return nodes.iter().map(|id| self.in_register(*id, None)).collect();
        }
        let group = self.code.groups.len();
        self.code.groups.push(Group { members: 0, strict: true });
        let mut values: Vec<ValueId> = Vec::new();
        for (n, id) in nodes.iter().enumerate() {
            if let Some(same) = nodes[..n].iter().position(|other| other == id) {
                values.push(values[same]);
                continue;
            }
            let value = self.in_register(*id, Some(group));
            let members = &mut self.code.groups[group].members;
            self.code.values[value].group = Some((group, *members));
            *members += 1;
            values.push(value);
        }
        values
    }

    /// Gives a node's value to channels of an output.
    fn out(&mut self, id: Id, slot: u8, mask: u8) {
        let operand = self.operand(id);
        if let Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false } =
            operand
            && let Some(made) = self.code.values[value].made
        {
            let strict = self.code.values[value]
                .group
                .is_some_and(|(group, _)| self.code.groups[group].strict);
            let operation = &mut self.code.operations[made];
            let neighbour = matches!(operation.does, Does::Lane(AluOp::Mdh | AluOp::Mdv));
            if matches!(operation.does, Does::Lane(_) | Does::Dot(_))
                && operation.out.is_none()
                && !neighbour
                && !strict
            {
                operation.out = Some((slot, mask));
                return;
            }
        }
        // The sign goes into a product that nothing else uses.
        let value = self.copy(operand, id);
        if let Some(made) = self.code.values[value].made {
            self.code.operations[made].out = Some((slot, mask));
        }
    }

    /// Puts values of one vector of the source into groups.
    fn groups(&mut self) {
        let vectors = &self.graph.vectors;
        let dots = (0..self.graph.len() as Id).filter(|id| {
            matches!(self.graph.op(*id), Op::Dot(_)) && !self.uses[*id as usize].is_empty()
        });
        let sides = dots.flat_map(|id| {
            let args: Vec<Id> = self.graph.node(id).operands().collect();
            [0, 1].map(|side| args.iter().copied().skip(side).step_by(2).collect::<Vec<Id>>())
        });
        let mut lists: Vec<Vec<Id>> = sides.collect();
        lists.extend(vectors.iter().cloned());
        for list in lists {
            let members: Vec<(u8, ValueId)> = list
                .iter()
                .enumerate()
                .filter_map(|(n, id)| {
                    let value = *self.made.get(&self.peel(*id).0)?;
                    let made = self.code.values.get(value)?.made?;
                    let lane =
                        matches!(self.code.operations[made].does, Does::Lane(_) | Does::Dot(_));
                    lane.then_some((n as u8, value))
                })
                .collect();
            let mut fresh: Vec<(u8, ValueId)> = Vec::new();
            for (n, value) in &members {
                let known = fresh.iter().any(|(_, other)| other == value);
                if self.code.values[*value].group.is_none() && !known {
                    fresh.push((*n, *value));
                }
            }
            if fresh.is_empty() || members.len() < 2 {
                continue;
            }
            // Members that join a group without strict members of others.
            let present = members.iter().find_map(|(_, value)| self.code.values[*value].group);
            let group = match present {
                Some((group, _))
                    if self.code.groups[group].members as usize + fresh.len() <= 4
                        && !self.code.groups[group].strict =>
                {
                    group
                }
                _ if fresh.len() < 2 => continue,
                _ => {
                    self.code.groups.push(Group::default());
                    self.code.groups.len() - 1
                }
            };
            for (n, value) in fresh {
                self.code.groups[group].members += 1;
                self.code.values[value].group = Some((group, n));
            }
        }
    }
}
