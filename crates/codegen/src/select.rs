//! From the graph to operations of the machine: folds nodes into the operations that use them.
//!
//! A product goes into the sum that uses it (MAD), a sum into its users (presubtract), a factor of 2 into the output
//! modifier, signs into input modifiers. A node with several users is folded into all of them or into
//! none.

mod generate;
mod groups;

use crate::code::{Code, Folded, Policy, ValueId};
use crate::copies::{self, LiveOut};
use crate::flow::{BlockId, FlowGraph};
use crate::graph::{Graph, Id, NONE, Op};
use crate::ir::Ir;
use crate::placement::Placement;
use ctm_base::work::{Ended, Work};
use ctm_isa::isa::{Omod, Presub};
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of this pass.
const PASS: &str = "select";

/// The work of a node.
const NODE: usize = 20;

/// A user of a node: its id, or `NONE` for an output; the operand; whether through a sign.
#[derive(Clone, Copy)]
struct Use {
    user: Id,
    abs: bool,
}

/// Coordinates of fetches that share a register.
struct Gathered {
    block: BlockId,
    group: usize,
    values: Vec<(Id, ValueId)>,
}

struct Selector<'g> {
    ir: &'g Ir,
    graph: &'g Graph,
    placement: &'g Placement,
    flow: &'g FlowGraph,
    /// The block of the operations that are made.
    block: BlockId,
    /// The source position of the user that they are made for: that of operations whose node belongs to no statement.
    origin: u32,
    policy: Policy,
    uses: Vec<Vec<Use>>,
    /// Products that go into all their sums.
    fused: Vec<bool>,
    /// The product that is folded into a sum.
    fused_product: Vec<Id>,
    /// Sums that go into all their users.
    presub: Vec<Option<(Presub, [Id; 2], bool)>>,
    /// Nodes that become a modifier of their operand.
    modifiers: Vec<bool>,
    code: Code,
    /// The value of each node.
    made: FxHashMap<Id, ValueId>,
    /// Coordinates of fetches so far.
    coordinates: FxHashMap<(BlockId, Vec<Id>), Vec<ValueId>>,
    gathered: Vec<Gathered>,
    /// Values that variables and conditions take.
    live_outs: Vec<LiveOut>,
    /// Signs and magnitudes with an effect.
    signs: FxHashSet<Id>,
}

/// Selects operations, and inserts the copies into variables.
pub fn select(
    ir: &Ir,
    placement: &Placement,
    policy: Policy,
    work: &Work<'_>,
) -> Result<Code, Ended> {
    let (mut code, live_outs) = operations(ir, placement, policy, work)?;
    // Each is compared with all assignments, and its operation with those of its block.
    let size = code.operations.len() + ir.flow.size();
    work.spend(PASS, live_outs.len().saturating_mul(size))?;
    copies::insert(ir, &mut code, placement, &live_outs);
    Ok(code)
}

/// Selects operations. Returns the values that variables and conditions take, too: copies are missing.
pub fn operations(
    ir: &Ir,
    placement: &Placement,
    policy: Policy,
    work: &Work<'_>,
) -> Result<(Code, Vec<LiveOut>), Ended> {
    let graph = &ir.graph;
    let count = graph.size();
    work.spend(PASS, NODE * count)?;
    let mut this = Selector {
        ir,
        graph,
        placement,
        flow: &ir.flow,
        block: 0,
        origin: 0,
        policy,
        uses: vec![Vec::new(); count],
        fused: vec![false; count],
        fused_product: vec![NONE; count],
        presub: vec![None; count],
        modifiers: vec![false; count],
        code: Code::default(),
        made: FxHashMap::default(),
        coordinates: FxHashMap::default(),
        gathered: Vec::new(),
        live_outs: Vec::new(),
        signs: FxHashSet::default(),
    };
    this.count_uses(ir);
    if policy.presubtract && policy.presubtract_first {
        this.presubtracts();
    }
    if policy.mad {
        this.products();
    }
    if policy.presubtract && !policy.presubtract_first {
        this.presubtracts();
    }
    if !graph.unoptimized() {
        this.modifiers();
    }
    this.code.policy = policy;
    this.code.folded = this.folded();
    this.code.joined = this.joined();
    this.generate(ir);
    this.groups();
    this.code.made = this.made;
    Ok((this.code, this.live_outs))
}

impl Selector<'_> {
    /// A node without signs, and the signs.
    fn strip_modifiers(&self, mut id: Id) -> (Id, bool, bool) {
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

    fn count_uses(&mut self, ir: &Ir) {
        let mut reached = vec![false; self.graph.size()];
        let mut roots: Vec<Id> = ir.outputs.iter().map(|output| output.value).collect();
        for (block, assignments) in ir.flow.blocks.iter().zip(&self.placement.assignments) {
            roots.extend(block.kills.iter().map(|(kill, _)| self.graph.tested(*kill)));
            roots.extend(block.writes.iter().flat_map(|(write, _)| write));
            roots.extend(block.end.condition().map(|condition| self.graph.tested(condition)));
            roots.extend(assignments.iter().map(|(_, id)| *id));
        }
        for root in roots {
            self.note_signs(root);
            let (base, _, abs) = self.strip_modifiers(root);
            reached[base as usize] = true;
            self.uses[base as usize].push(Use { user: NONE, abs });
        }
        for id in (0..self.graph.size() as Id).rev() {
            if !reached[id as usize] {
                continue;
            }
            for operand in self.graph.node(id).operands() {
                self.note_signs(operand);
                let (base, _, abs) = self.strip_modifiers(operand);
                reached[base as usize] = true;
                self.uses[base as usize].push(Use { user: id, abs });
            }
        }
    }

    fn note_signs(&mut self, mut id: Id) {
        while matches!(self.graph.op(id), Op::Neg | Op::Abs) && self.signs.insert(id) {
            id = self.graph.arg(id, 0);
        }
    }

    /// The counts of nodes that are folded into operations.
    fn folded(&self) -> Folded {
        let live = |id: &usize| !self.uses[*id].is_empty() && self.graph.op(*id as Id).computes();
        let live: Vec<usize> = (0..self.graph.size()).filter(live).collect();
        let count = |is: &dyn Fn(usize) -> bool| live.iter().filter(|id| is(**id)).count();
        Folded {
            nodes: live.len() + self.signs.len(),
            signs: self.signs.len(),
            products: count(&|id| self.fused[id]),
            // 1 - 2 a takes in two.
            sums: count(&|id| self.presub[id].is_some())
                + count(&|id| matches!(self.presub[id], Some((Presub::Bias, ..)))),
            modifiers: count(&|id| self.modifiers[id]),
        }
    }

    /// By node, whether an operation of its users computes it.
    fn joined(&self) -> Vec<bool> {
        let mut joined: Vec<bool> = (0..self.graph.size())
            .map(|id| self.fused[id] || self.presub[id].is_some() || self.swallowed(id as Id))
            .collect();
        for id in (0..self.graph.size()).filter(|id| self.modifiers[*id]) {
            joined[self.graph.arg(id as Id, 0) as usize] = true;
        }
        joined
    }

    /// Whether two nodes are computed in one block.
    fn beside(&self, a: Id, b: Id) -> bool {
        self.placement.block[a as usize] == self.placement.block[b as usize]
    }

    /// Decides which products go into sums.
    fn products(&mut self) {
        for id in (0..self.graph.size()).rev() {
            let uses = &self.uses[id];
            let fits = |one: &Use| {
                one.user != NONE
                    && !one.abs
                    && self.beside(one.user, id as Id)
                    && self.graph.op(one.user) == Op::Add
                    && self.fused_product[one.user as usize] == NONE
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
                        let (base, neg, _) = self.strip_modifiers(*arg);
                        neg && base as usize == id
                    })
                };
                let signed = self
                    .graph
                    .value(self.graph.arg(id as Id, 1))
                    .is_some_and(|factor| factor != 0.0 && factor.is_finite());
                if self.graph.precise() && !signed && users.iter().any(negated) {
                    continue;
                }
                // Both operands of a sum cannot be the same product.
                let mut sorted = users.clone();
                sorted.sort_unstable();
                if sorted.windows(2).any(|two| two[0] == two[1]) {
                    continue;
                }
                self.fused[id] = true;
                for user in users {
                    self.fused_product[user as usize] = id as Id;
                }
            }
        }
    }

    /// A sum as a presubtract: the operation, sources 0 and 1, and whether the result has the other sign.
    fn as_presub(&self, id: Id) -> Option<(Presub, [Id; 2], bool)> {
        let node = self.graph.node(id);
        if node.op != Op::Add || self.fused_product[id as usize] != NONE {
            return None;
        }
        let [x, y] = [0, 1].map(|n| self.strip_modifiers(node.args[n]));
        if x.2 || y.2 {
            return None;
        }
        let inexact = !self.graph.precise();
        if self.graph.is(y.0, 1.0) && !y.1 || self.graph.is(y.0, -1.0) && inexact {
            let minus_one = self.graph.is(y.0, -1.0);
            if x.1 != minus_one {
                // 1 - 2 a
                let inner = self.graph.node(x.0);
                if inner.op == Op::Mul
                    && self.graph.is(inner.args[1], 2.0)
                    && self.uses[x.0 as usize].len() == 1
                    && self.beside(x.0, id)
                {
                    let (base, neg, abs) = self.strip_modifiers(inner.args[0]);
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
                && self.beside(x.0, id)
            {
                let (base, neg, abs) = self.strip_modifiers(inner.args[0]);
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
        for id in (0..self.graph.size() as Id).rev() {
            if !matches!(self.graph.op(id), Op::Dot(_)) || self.uses[id as usize].is_empty() {
                continue;
            }
            let args: Vec<Id> = self.graph.node(id).operands().collect();
            let sides = [0, 1].map(|side| {
                args.iter()
                    .skip(side)
                    .step_by(2)
                    .map(|arg| self.strip_modifiers(*arg))
                    .collect::<Vec<_>>()
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
                    let only = self.uses[one.0 as usize]
                        .iter()
                        .all(|found| found.user == id && self.beside(found.user, one.0));
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
        let mut busy: Vec<Id> = vec![NONE; self.graph.size()];
        for id in (0..self.graph.size() as Id).rev() {
            if self.presub[id as usize].is_some() {
                continue;
            }
            let Some(presub) = self.as_presub(id) else { continue };
            let uses = &self.uses[id as usize];
            let fits = |one: &Use| {
                if one.user == NONE || !self.beside(one.user, id) {
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
                    | Op::Array(_)
                    | Op::Input(_)
                    | Op::Phi(_)
                    | Op::Neg
                    | Op::Abs
                    | Op::Dx
                    | Op::Dy
                    | Op::Fetch(_)
                    | Op::Texel(_) => false,
                };
                // A product that goes into a sum brings that sum's operand.
                let fused = self.fused[one.user as usize];
                let owner = self.fused_product[one.user as usize];
                let free = busy[one.user as usize] == NONE
                    && !fused
                    && (owner == NONE || busy[owner as usize] == NONE);
                takes && free && !self.swallowed(one.user) && self.room(one.user, id, presub)
            };
            if !uses.is_empty() && uses.iter().all(fits) {
                for one in uses.clone() {
                    busy[one.user as usize] = id;
                }
                self.presub[id as usize] = Some(presub);
            }
        }
    }

    /// Whether a product 2 a is part of a presubtract 1 - 2 a: that reads a, and the product is not computed.
    fn swallowed(&self, id: Id) -> bool {
        let in_bias = |one: &Use| {
            one.user != NONE && matches!(self.presub[one.user as usize], Some((Presub::Bias, ..)))
        };
        self.graph.op(id) == Op::Mul && self.uses[id as usize].iter().any(in_bias)
    }

    /// Whether an operation has sources for a presubtract and its other operands.
    fn room(&self, user: Id, sum: Id, (presub, sources, _): (Presub, [Id; 2], bool)) -> bool {
        let mut others: Vec<Id> = Vec::new();
        let mut operands: Vec<Id> = self.graph.node(user).operands().collect();
        let taken = self.fused_product[user as usize];
        if taken != NONE {
            operands.retain(|id| self.strip_modifiers(*id).0 != taken);
            operands.extend(self.graph.node(taken).operands());
        }
        for operand in operands {
            let (base, ..) = self.strip_modifiers(operand);
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
            | Op::Phi(_)
            | Op::Array(_)
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
        for id in 0..self.graph.size() as Id {
            let node = self.graph.node(id);
            let operand = node.args[0];
            if self.uses[id as usize].is_empty() || self.fused[id as usize] || self.swallowed(id) {
                continue;
            }
            self.modifiers[id as usize] = match node.op {
                Op::Clamp => self.carries(operand) && self.beside(id, operand),
                Op::Mul => {
                    let factor = self.graph.value(node.args[1]);
                    // The operand's own modifier is free.
                    factor.and_then(Self::omod).is_some()
                        && self.carries(operand)
                        && self.beside(id, operand)
                        && !self.modifiers[operand as usize]
                }
                _ => false,
            };
        }
    }
}
