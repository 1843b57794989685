//! The graph of scalar operations that a shader becomes. Equal operations are one node.
//!
//! Every value is the bits of a float; a boolean is 0 or 1, an integer is a whole number. The functions
//! that make nodes apply the rules of [`crate::rules`] first. The module knows no registers and no source language.

use ctm_isa::arithmetic::Operations;
use rustc_hash::FxHashMap;

/// A node of a [`Graph`].
pub type Id = u32;

/// No node.
pub const NONE: Id = Id::MAX;

/// An operation. Operands are [`Node::args`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The bits of a float.
    Literal(u32),
    /// A scalar that the job sets: an index of [`ctm_lang::program::interface::Interface::scalars`].
    Uniform(u32),
    /// Channel n % 4 of the varying n / 4.
    Input(u32),
    /// The value of a variable at the start of a block: an index of [`crate::flow::FlowGraph::phis`].
    Phi(u32),
    /// An element of a constant array, by the iteration of a loop: an index of [`crate::flow::FlowGraph::arrays`].
    Array(u32),
    /// -a.
    Neg,
    /// abs(a).
    Abs,
    /// a + b.
    Add,
    /// a * b.
    Mul,
    /// a < b ? a : b.
    Min,
    /// a >= b ? a : b.
    Max,
    /// c >= 0 ? a : b.
    Cmp,
    /// a - floor(a).
    Frc,
    /// 2^a.
    Ex2,
    /// log2(a).
    Ln2,
    /// 1/a.
    Rcp,
    /// 1/sqrt(a).
    Rsq,
    /// sin(2 pi a).
    Sin,
    /// cos(2 pi a).
    Cos,
    /// a, limited to [0, 1].
    Clamp,
    /// The difference to the neighbour at the right.
    Dx,
    /// The difference to the neighbour below.
    Dy,
    /// A dot product of 3 or 4 pairs: a0, b0, a1, b1, ...
    Dot(u8),
    /// All channels of an input at (a, b), or (a/c, b/c).
    Fetch(Fetch),
    /// A channel of the fetch a.
    Texel(u8),
}

/// The parameters of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fetch {
    /// The input, 0 to 15.
    pub input: u8,
    /// The coordinates count elements.
    pub unscaled: bool,
    /// The coordinates are divided by the third.
    pub projected: bool,
}

/// An operation with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// The operands; the others are [`NONE`].
    pub args: [Id; 8],
}

impl Node {
    /// The operands.
    pub fn operands(&self) -> impl Iterator<Item = Id> + use<> {
        self.args.into_iter().take_while(|id| *id != NONE)
    }
}

/// The nodes of a program. An operand's id is less than that of its user.
pub struct Graph {
    nodes: Vec<Node>,
    /// The places of the source that ask for each node.
    origins: Origins,
    folded_origins: Origins,
    ids: FxHashMap<Node, Id>,
    /// Nodes that are components of one vector of the source, in order.
    pub vectors: Vec<Vec<Id>>,
    /// The source position of the next nodes.
    pub origin: u32,
    /// The rules that apply.
    pub rules: Rules,
    /// The operations that were asked of the graph.
    pub asked: Asked,
    /// Where no rules apply: the operations on conditions that nodes are, with their operands.
    pub conditions: FxHashMap<Id, (&'static str, Vec<Id>)>,
}

/// The rules of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// All.
    All,
    /// Those that change no bit of a number; NaNs, and denormals that only move, may change.
    Exact,
    /// Those that change no bit at all. 0 times infinity is NaN.
    Bits,
    /// Operations on literals are computed, no more. `precise`: a dot product is products and sums in their order.
    Literals {
        /// In their order.
        precise: bool,
    },
}

/// By node, the byte offsets of the source that ask for it, in the order of the walk. Numbers have none: they belong to
/// the statements that read them.
#[derive(Default)]
struct Origins {
    /// The end of each node's own in `offsets`.
    ends: Vec<u32>,
    offsets: Vec<u32>,
}

impl Origins {
    fn of(nodes: usize, served: &[(Id, u32)]) -> Origins {
        let mut ends = vec![0; nodes];
        for (id, _) in served {
            ends[*id as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            // The start, until its own are in.
            sum += std::mem::replace(end, sum);
        }
        let mut offsets = vec![0; sum as usize];
        for (id, origin) in served {
            let next = &mut ends[*id as usize];
            offsets[*next as usize] = *origin;
            *next += 1;
        }
        Origins { ends, offsets }
    }

    fn node(&self, id: Id) -> &[u32] {
        let end = |n: usize| self.ends.get(n).map_or(0, |end| *end as usize);
        let id = id as usize;
        let start = id.checked_sub(1).map_or(0, end);
        self.offsets.get(start..end(id)).unwrap_or_default()
    }
}

/// Most places that a node has from others whose constants it holds: sums of many constants are not kept whole.
const MOST_FOLDED: usize = 16;

/// The operations that the walk asked for, to explain their fate. A rolled-back attempt removes its own.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The position of each operation, as the source has it.
    pub written: Vec<u32>,
    /// The node of each operation that the rules left.
    pub simplified: Vec<Id>,
    /// The nodes that are part of a result, each with the offset of the source that asks for it.
    pub served: Vec<(Id, u32)>,
    /// Nodes with a constant that rules made of theirs and of another node's, with that node, and whether its statements are
    /// served, too: other ones than the node's.
    folded: Vec<(Id, Id, bool)>,
    /// Rules are at work for an operation that is counted already.
    pub inside: bool,
}

impl Asked {
    /// The numbers of operations so far.
    pub fn mark(&self) -> [usize; 4] {
        [self.written.len(), self.simplified.len(), self.served.len(), self.folded.len()]
    }

    /// Forgets what came after a mark.
    pub fn roll_back(&mut self, [written, simplified, served, folded]: [usize; 4]) {
        self.written.truncate(written);
        self.simplified.truncate(simplified);
        self.served.truncate(served);
        self.folded.truncate(folded);
    }
}

impl Op {
    /// Whether it is an operation, not a number or a channel of a fetch.
    pub fn computes(self) -> bool {
        match self {
            Op::Literal(_)
            | Op::Uniform(_)
            | Op::Input(_)
            | Op::Phi(_)
            | Op::Array(_)
            | Op::Texel(_) => false,
            Op::Neg
            | Op::Abs
            | Op::Add
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
            | Op::Clamp
            | Op::Dx
            | Op::Dy
            | Op::Dot(_)
            | Op::Fetch(_) => true,
        }
    }

    /// The result of an operation on values. `None`: it has none without other points, memory or the graph, or has other
    /// operands.
    pub fn apply<N: Operations>(self, on: &mut N, operands: &[N::Value]) -> Option<N::Value> {
        Some(match (self, operands) {
            (Op::Neg, [a]) => on.neg(*a),
            (Op::Abs, [a]) => on.abs(*a),
            (Op::Add, [a, b]) => on.add(*a, *b),
            (Op::Mul, [a, b]) => on.mul(*a, *b),
            (Op::Min, [a, b]) => on.min(*a, *b),
            (Op::Max, [a, b]) => on.max(*a, *b),
            (Op::Cmp, [a, b, c]) => on.cmp(*a, *b, *c),
            (Op::Frc, [a]) => on.frc(*a),
            (Op::Ex2, [a]) => on.ex2(*a),
            (Op::Ln2, [a]) => on.ln2(*a),
            (Op::Rcp, [a]) => on.rcp(*a),
            (Op::Rsq, [a]) => on.rsq(*a),
            (Op::Sin, [a]) => on.sin(*a),
            (Op::Cos, [a]) => on.cos(*a),
            (Op::Clamp, [a]) => on.clamp(*a),
            (Op::Dot(count), pairs) if pairs.len() == 2 * usize::from(count) => {
                let pairs = pairs.chunks(2).map(|pair| (pair[0], pair[1]));
                on.dot(&pairs.collect::<Vec<_>>())
            }
            _ => return None,
        })
    }
}

impl Graph {
    /// A graph without nodes.
    pub fn new(rules: Rules) -> Graph {
        Graph {
            nodes: Vec::new(),
            origins: Origins::default(),
            folded_origins: Origins::default(),
            ids: FxHashMap::default(),
            vectors: Vec::new(),
            origin: 0,
            rules,
            asked: Asked::default(),
            conditions: FxHashMap::default(),
        }
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// A node.
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    /// The operation of a node.
    pub fn op(&self, id: Id) -> Op {
        self.nodes[id as usize].op
    }

    /// An operand of a node.
    pub fn arg(&self, id: Id, n: usize) -> Id {
        self.nodes[id as usize].args[n]
    }

    /// The first place of the source that asks for a node, in the order of the walk; 0 if it belongs to no statement.
    pub fn origin_of(&self, id: Id) -> u32 {
        self.origins_of(id).first().copied().unwrap_or(0)
    }

    /// The places of the source that ask for a node, in the order of the walk; known once the graph is [`Self::settle`]d.
    pub fn origins_of(&self, id: Id) -> &[u32] {
        self.origins.node(id)
    }

    /// The places of other nodes whose constants are part of this one's.
    pub fn folded_origins_of(&self, id: Id) -> &[u32] {
        self.folded_origins.node(id)
    }

    /// The graph is complete: the walk is over.
    pub fn settle(&mut self) {
        self.asked.served.retain(|(_, offset)| *offset != 0);
        self.origins = Origins::of(self.nodes.len(), &self.asked.served);
        let mut taken: FxHashMap<Id, Vec<u32>> = FxHashMap::default();
        for (id, part, others) in std::mem::take(&mut self.asked.folded) {
            let own = if others { self.origins_of(part) } else { &[] };
            let further = taken.get(&part).map_or(&[][..], |offsets| offsets);
            let offsets = [own, further].concat();
            let all = taken.entry(id).or_default();
            all.extend(offsets.into_iter().take(MOST_FOLDED.saturating_sub(all.len())));
        }
        let taken: Vec<(Id, u32)> =
            taken.iter().flat_map(|(id, all)| all.iter().map(|offset| (*id, *offset))).collect();
        self.folded_origins = Origins::of(self.nodes.len(), &taken);
    }

    /// A node whose constant holds that of `part`, too.
    pub fn folded(&mut self, id: Id, part: Id) -> Id {
        if self.op(id).computes() {
            // A statement that has just asked for the part needs it no more.
            let now = self.origin;
            let recent = self.asked.served.iter_mut().rev();
            let recent = recent.take_while(|(_, offset)| [0, now].contains(offset));
            let same = recent.take(MOST_FOLDED).find(|one| **one == (part, now));
            self.asked.folded.push((id, part, same.is_none()));
            if let Some((_, offset)) = same {
                *offset = 0;
            }
        }
        id
    }

    /// The node of an operation, without rules.
    pub fn intern(&mut self, op: Op, operands: &[Id]) -> Id {
        let mut args = [NONE; 8];
        args[..operands.len()].copy_from_slice(operands);
        let node = Node { op, args };
        let id = *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as Id - 1
        });
        if op.computes() {
            self.asked.simplified.push(id);
            self.asked.served.push((id, self.origin));
            if !self.asked.inside {
                self.asked.written.push(self.origin);
            }
        }
        id
    }

    /// Applies rules to what the source has as `count` operations.
    pub fn counted(&mut self, count: usize, rules: impl FnOnce(&mut Graph) -> Id) -> Id {
        if self.asked.inside {
            return rules(self);
        }
        self.asked.written.extend(std::iter::repeat_n(self.origin, count));
        self.asked.inside = true;
        let (served, size) = (self.asked.served.len(), self.size());
        let id = rules(self);
        self.asked.inside = false;
        self.keep_parts(served, size, id);
        id
    }

    /// Of the nodes that rules made, from `start` on, only parts of the result serve the source; of a new result, only new
    /// ones, for rules also make parts of its operands again. `size`: the number of nodes before.
    fn keep_parts(&mut self, start: usize, size: usize, result: Id) {
        let made: Vec<Id> = self.asked.served[start..].iter().map(|(id, _)| *id).collect();
        if made.is_empty() || made == [result] {
            return;
        }
        let mut parts = vec![result];
        let mut n = 0;
        while let Some(part) = parts.get(n).copied() {
            n += 1;
            let signs = matches!(self.op(part), Op::Neg | Op::Abs);
            if made.contains(&part) || signs {
                for arg in self.node(part).operands() {
                    if !parts.contains(&arg) {
                        parts.push(arg);
                    }
                }
            }
        }
        let mut made = made.into_iter();
        let new = result as usize >= size;
        let serves = |id: Id| parts.contains(&id) && (!new || id as usize >= size);
        let mut later = self.asked.served.split_off(start);
        later.retain(|_| made.next().is_some_and(serves));
        self.asked.served.append(&mut later);
    }

    /// A literal.
    pub fn literal(&mut self, bits: u32) -> Id {
        self.intern(Op::Literal(bits), &[])
    }

    /// A literal.
    pub fn number(&mut self, value: f32) -> Id {
        self.literal(value.to_bits())
    }

    /// The bits of a literal.
    pub fn bits(&self, id: Id) -> Option<u32> {
        match self.op(id) {
            Op::Literal(bits) => Some(bits),
            _ => None,
        }
    }

    /// The value of a literal.
    pub fn value(&self, id: Id) -> Option<f32> {
        self.bits(id).map(f32::from_bits)
    }

    /// Notes that nodes are the components of a vector.
    pub fn vector(&mut self, components: &[Id]) {
        if (2..=4).contains(&components.len()) && self.vectors.len() < 1 << 18 {
            self.vectors.push(components.to_vec());
        }
    }
}
