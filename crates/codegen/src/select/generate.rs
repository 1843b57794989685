//! Makes the operations of nodes, once folding is decided.

use super::Selector;
use crate::code::{
    self, Atom, BlockEnd, Constant, Does, Group, Operand, Operation, Source, Value, ValueId,
};
use crate::copies::LiveOut;
use crate::graph::{Id, NONE, Op};
use crate::ir::{Ir, OutputChannel};
use ctm_isa::isa::{AluOp, Comparison, Omod};
use rustc_hash::FxHashMap;

impl Selector<'_> {
    pub(super) fn generate(&mut self, ir: &Ir) {
        let needed: Vec<Id> =
            (0..self.graph.size() as Id).filter(|id| !self.uses[*id as usize].is_empty()).collect();
        let mut uses: FxHashMap<Id, Vec<OutputChannel>> = FxHashMap::default();
        let mut order: Vec<Id> = Vec::new();
        for output in &ir.outputs {
            let list = uses.entry(output.value).or_default();
            if list.is_empty() {
                order.push(output.value);
            }
            list.push(*output);
        }
        for id in needed {
            self.node(id);
        }
        self.block = ir.flow.blocks.len() - 1;
        for id in order {
            let mut rest = uses.remove(&id).unwrap_or_default();
            // Each output takes the value from one operation.
            while let Some(OutputChannel { slot, origin, .. }) = rest.first().copied() {
                let mask = rest
                    .iter()
                    .filter(|other| other.slot == slot)
                    .fold(0, |mask, other| mask | 1 << other.channel);
                rest.retain(|other| other.slot != slot);
                self.origin = origin;
                self.out(id, slot, mask);
            }
        }
        for (n, block) in ir.flow.blocks.iter().enumerate() {
            (self.block, self.origin) = (n, block.origin);
            self.kills(&block.kills);
            self.writes(&block.writes);
            for (variable, id) in &self.placement.assignments[n] {
                let operand = self.operand(*id);
                let stored = self.placement.store(&ir.flow, n, *variable, *id);
                let origin = stored.unwrap_or(block.origin);
                let (variable, stored) = (Some(*variable), stored.unwrap_or(0));
                self.live_outs.push(LiveOut { block: n, operand, variable, origin, stored });
            }
            let mut end =
                BlockEnd { end: block.end, test: None, indexed: false, origin: block.origin };
            if let Some(condition) = block.end.condition()
                && !self.graph.is(condition, 1.0)
            {
                end.test = Some(match self.graph.test(condition) {
                    Some((_, not_below)) => (Comparison::GreaterEqual, !not_below),
                    None => (Comparison::NotEqual, false),
                });
                let node = self.graph.tested(condition);
                let operand = self.operand(node);
                let origin = block.origin;
                let (variable, stored) = (None, origin);
                self.live_outs.push(LiveOut { block: n, operand, variable, origin, stored });
            }
            self.code.ends.push(end);
        }
        let operands = self.code.operations.iter().flat_map(|operation| &operation.operands);
        for atom in operands
            .chain(self.live_outs.iter().map(|live_out| &live_out.operand))
            .flat_map(Operand::atoms)
        {
            if let Atom::Constant(Constant::Array(n)) = atom {
                // The block before the first one is the loop's start.
                self.code.ends[self.flow.arrays[n as usize].head - 1].indexed = true;
            }
        }
        self.code.loops.clone_from(&self.placement.cfg.ranges);
        self.code.registers = self.placement.registers;
        self.code.crowded = self.placement.crowded;
    }

    /// Whether a node is below zero exactly if its sign bit is set: it is not -0. TEXKILL tests the bit.
    fn signed(&self, id: Id, depth: u32) -> bool {
        let [a, b, ..] = self.graph.node(id).args;
        match self.graph.op(id) {
            // A sum is -0 only if both are, so -0 - 0 is.
            Op::Add => [a, b].into_iter().any(|term| {
                let base =
                    if self.graph.op(term) == Op::Neg { self.graph.arg(term, 0) } else { term };
                match self.graph.op(base) {
                    Op::Literal(_) => self.graph.value(term).is_some_and(|value| value != 0.0),
                    Op::Abs | Op::Ex2 => base == term,
                    _ => false,
                }
            }),
            Op::Literal(_) => self.graph.value(id).is_some_and(|value| value != 0.0),
            Op::Min | Op::Max | Op::Cmp if depth > 0 => {
                self.signed(a, depth - 1) && self.signed(b, depth - 1)
            }
            _ => false,
        }
    }

    /// Ends points in the block.
    fn kills(&mut self, conditions: &[(Id, u32)]) {
        let mut kills: Vec<(Operand, u32)> = Vec::new();
        let mut distinct: Vec<(Id, u32)> = Vec::new();
        for kill in conditions {
            if !distinct.iter().any(|(other, _)| *other == kill.0) {
                distinct.push(*kill);
            }
        }
        for (kill, at) in distinct {
            self.origin = at;
            let [one, minus] = [1.0, -1.0].map(Operand::literal);
            let value = match self.graph.test(kill) {
                Some((c, false)) if !self.graph.precise() && self.signed(c, 8) => {
                    self.in_register(c, None)
                }
                Some((c, not_below)) => {
                    let sides = if not_below { [minus, one] } else { [one, minus] };
                    let operands = vec![sides[0], sides[1], self.operand(c)];
                    self.push(Does::Lane(AluOp::Cmp), operands, kill)
                }
                // The sign of what is 1 or 0.
                None => {
                    let operand = self.operand(kill);
                    let half = Operand::literal(0.5);
                    self.push(Does::Lane(AluOp::Mad), vec![operand, minus, half], kill)
                }
            };
            let source = Source::Atom(Atom::Value(value));
            kills.push((Operand { source, neg: false, abs: false }, at));
        }
        for (kill, origin) in kills {
            let kill = Operation::new(Does::Kill, vec![kill], Vec::new(), self.block);
            self.code.operations.push(Operation { origin, ..kill });
        }
    }

    /// Uncached writes of the block, in their order.
    fn writes(&mut self, writes: &[([Id; 3], u32)]) {
        let mut before = None;
        for (ids, origin) in writes {
            let origin = *origin;
            self.origin = origin;
            // In one register, as the lanes of an input are.
            self.code.groups.push(Group { members: 3, strict: true });
            let group = self.code.groups.len() - 1;
            let mut operands = Vec::new();
            for (id, n) in ids.iter().zip(0..) {
                let value = if n == 0 {
                    self.exact_in_register(*id)
                } else {
                    self.in_register(*id, Some(group))
                };
                self.code.values[value].group = Some((group, n));
                let source = Source::Atom(Atom::Value(value));
                operands.push(Operand { source, neg: false, abs: false });
            }
            let write = Operation::new(Does::Write, operands, Vec::new(), self.block);
            let after = before.replace(self.code.operations.len()).into_iter().collect();
            let omod = Omod::Disabled;
            self.code.operations.push(Operation { origin, omod, after, ..write });
        }
    }

    /// The source position of a node, or that of the user that it is made for.
    fn origin_of(&self, node: Id) -> u32 {
        let own = if node == NONE { 0 } else { self.graph.origin_of(node) };
        if own == 0 { self.origin } else { own }
    }

    /// Appends an operation with one result.
    fn push(&mut self, does: Does, operands: Vec<Operand>, node: Id) -> ValueId {
        let value = self.code.values.len();
        self.code.values.push(Value { made: Some(self.code.operations.len()), ..Value::default() });
        let operation = Operation::new(does, operands, vec![Some(value)], self.block);
        self.code.operations.push(Operation { node, origin: self.origin_of(node), ..operation });
        value
    }

    /// Makes the operation of a node, if it has its own. Its operands have theirs already.
    fn node(&mut self, id: Id) {
        let user = (self.block, self.origin);
        (self.block, self.origin) = (self.placement.block[id as usize], self.origin_of(id));
        self.operation(id);
        (self.block, self.origin) = user;
    }

    fn operation(&mut self, id: Id) {
        let node = self.graph.node(id);
        if self.fused[id as usize]
            || self.presub[id as usize].is_some()
            || self.made.contains_key(&id)
        {
            return;
        }
        if self.modifiers[id as usize] {
            let inner = node.args[0];
            // The operand's operation exists, and nothing else uses it.
            if let Some(value) = self.made.get(&inner).copied()
                && let Some(made) = self.code.values[value].made
            {
                let operation = &mut self.code.operations[made];
                if node.op == Op::Clamp {
                    operation.clamp = true;
                    if operation.omod == Omod::Disabled {
                        operation.omod = Omod::X1;
                    }
                } else if let Some(omod) = self.graph.value(node.args[1]).and_then(Self::omod) {
                    operation.omod = omod;
                }
                operation.node = id;
                operation.origin = self.graph.origin_of(id);
                self.made.insert(id, value);
                return;
            }
        }
        let lane = |op| Does::Lane(op);
        let [zero, one] = [0.0, 1.0].map(Operand::literal);
        let zero = if self.graph.precise() { Operand::literal(-0.0) } else { zero };
        let (does, operands) = match node.op {
            Op::Literal(_) | Op::Uniform(_) | Op::Array(_) | Op::Neg | Op::Abs => return,
            Op::Input(n) => {
                let value = self.code.values.len();
                self.code
                    .values
                    .push(Value { input: Some((n / 4, (n % 4) as u8)), ..Value::default() });
                self.made.insert(id, value);
                return;
            }
            Op::Phi(n) => {
                let variable = self.placement.variable[n as usize];
                let mut value = self.code.values.len();
                let fixed = Some(self.placement.places[variable]);
                self.code.values.push(Value { fixed, ..Value::default() });
                if self.placement.copied[n as usize] {
                    self.block = self.flow.phis[n as usize].block;
                    let source = Source::Atom(Atom::Value(value));
                    value = self.copy(Operand { source, neg: false, abs: false });
                }
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
                let operation =
                    Operation::new(Does::Fetch(fetch), operands, vec![None; 4], self.block);
                self.code.operations.push(Operation {
                    node: id,
                    origin: self.graph.origin_of(id),
                    ..operation
                });
                return;
            }
            Op::Add => {
                let taken = self.fused_product[id as usize];
                if taken != NONE {
                    let [x, y] = [0, 1].map(|n| self.strip_modifiers(node.args[n]));
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
        if let Some(operation) = self.code.operations.last_mut() {
            operation.clamp |= node.op == Op::Clamp;
            if self.graph.keeps_bits() && matches!(node.op, Op::Min | Op::Max | Op::Cmp) {
                operation.omod = Omod::Disabled;
            }
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
            Op::Uniform(n) => Atom::Constant(self.ir.constant(n)),
            Op::Array(n) => self.array(base, n),
            _ => {
                self.node(base);
                Atom::Value(self.made.get(&base).copied().unwrap_or_default())
            }
        }
    }

    /// The constant that a loop reads by its counters: a constant in the loop, a copy in loops
    /// inside it.
    fn array(&mut self, id: Id, n: u32) -> Atom {
        let constant = Atom::Constant(Constant::Array(n));
        let head = Some(self.flow.arrays[n as usize].head);
        if self.placement.cfg.innermost(self.block) == head {
            return constant;
        }
        if let Some(value) = self.made.get(&id) {
            return Atom::Value(*value);
        }
        let user = std::mem::replace(&mut self.block, self.placement.block[id as usize]);
        let operand = Operand { source: Source::Atom(constant), neg: false, abs: false };
        let value = self.copy(operand);
        self.block = user;
        self.made.insert(id, value);
        Atom::Value(value)
    }

    /// A node as an operand.
    fn operand(&mut self, id: Id) -> Operand {
        let (base, mut neg, abs) = self.strip_modifiers(id);
        if let Some((presub, sources, flipped)) = self.presub[base as usize] {
            neg ^= flipped && !abs;
            let sources = sources.map(|source| self.atom(source));
            let source = Source::Presub(presub, sources);
            self.code.sums.push((source, base));
            return Operand { source, neg, abs };
        }
        if let Op::Literal(bits) = self.graph.op(base) {
            let value = f32::from_bits(bits);
            let value = if abs { value.abs() } else { value };
            return Operand::literal(if neg { -value } else { value });
        }
        Operand { source: Source::Atom(self.atom(base)), neg, abs }
    }

    /// The value of a node in a register; copied if it is not, or if `group` needs a copy of its own.
    pub(super) fn in_register(&mut self, id: Id, group: Option<usize>) -> ValueId {
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
        self.copy(operand)
    }

    /// The value of a node in a register of its own, with all its bits: what is fetched may be no float.
    fn exact_in_register(&mut self, id: Id) -> ValueId {
        let operand = self.operand(id);
        let fetched = self.graph.op(self.strip_modifiers(id).0);
        if !matches!(fetched, Op::Texel(_) | Op::Input(_) | Op::Phi(_)) {
            let value = self.in_register(id, None);
            let free = self.code.values[value].made.is_some_and(|made| {
                self.code.operations[made].is_arithmetic()
                    && self.code.values[value].group.is_none()
            });
            return if free { value } else { self.copy(operand) };
        }
        self.copy_by(operand, true)
    }

    /// A copy for the statement that needs it.
    fn copy(&mut self, operand: Operand) -> ValueId {
        self.copy_by(operand, self.graph.keeps_bits())
    }

    fn copy_by(&mut self, operand: Operand, bits: bool) -> ValueId {
        let (does, operands, omod) = code::copy(operand, bits);
        let value = self.push(does, operands, NONE);
        if let Some(operation) = self.code.operations.last_mut() {
            operation.omod = omod;
        }
        value
    }

    /// Gives a node's value to channels of an output.
    fn out(&mut self, id: Id, slot: u8, mask: u8) {
        let operand = self.operand(id);
        if let Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false } =
            operand
            && let Some(made) = self.code.values[value].made
            && self.placement.outermost(self.code.operations[made].block)
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
                operation.stored = self.origin;
                return;
            }
        }
        // The sign goes into a product that nothing else uses.
        let value = self.copy(operand);
        if let Some(made) = self.code.values[value].made {
            self.code.operations[made].out = Some((slot, mask));
            self.code.operations[made].stored = self.origin;
        }
    }
}
