//! The graph of scalar operations that a shader becomes. Equal operations are one node.
//!
//! Every value is the bits of a float; a boolean is 0 or 1, an integer is a whole number. The functions
//! that make nodes apply the rules of [`crate::rules`] first. The module knows no registers and no source language.

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
    /// Byte offset of the source that made each node; 0 for numbers, which belong to the statements that read them.
    origins: Vec<u32>,
    ids: FxHashMap<Node, Id>,
    /// Nodes that are components of one vector of the source, in order.
    pub vectors: Vec<Vec<Id>>,
    /// The source position of the next nodes.
    pub origin: u32,
    /// The rules that apply.
    pub rules: Rules,
    /// The operations that were asked of the graph.
    pub asked: Asked,
}

/// The rules of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// All.
    All,
    /// Those that change no bit.
    Exact,
    /// Operations on literals are computed, no more. `precise`: a dot product is products and sums in their order.
    Literals {
        /// In their order.
        precise: bool,
    },
}

/// The operations that the walk asked for, to explain their fate. A rolled-back attempt removes its own.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The position of each operation, as the source has it.
    pub written: Vec<u32>,
    /// The node of each operation that the rules left.
    pub simplified: Vec<Id>,
    /// Rules are at work for an operation that is counted already.
    pub inside: bool,
}

impl Asked {
    /// The numbers of operations so far.
    pub fn mark(&self) -> [usize; 2] {
        [self.written.len(), self.simplified.len()]
    }

    /// Forgets what came after a mark.
    pub fn roll_back(&mut self, [written, simplified]: [usize; 2]) {
        self.written.truncate(written);
        self.simplified.truncate(simplified);
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
}

impl Graph {
    /// A graph without nodes.
    pub fn new(rules: Rules) -> Graph {
        Graph {
            nodes: Vec::new(),
            origins: Vec::new(),
            ids: FxHashMap::default(),
            vectors: Vec::new(),
            origin: 0,
            rules,
            asked: Asked::default(),
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

    /// The source position of a node; 0 if it belongs to no statement.
    pub fn origin_of(&self, id: Id) -> u32 {
        self.origins[id as usize]
    }

    /// The node of an operation, without rules.
    pub fn intern(&mut self, op: Op, operands: &[Id]) -> Id {
        let mut args = [NONE; 8];
        args[..operands.len()].copy_from_slice(operands);
        let node = Node { op, args };
        let id = *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            let belongs = op.computes() || matches!(op, Op::Texel(_));
            self.origins.push(if belongs { self.origin } else { 0 });
            self.nodes.len() as Id - 1
        });
        if op.computes() {
            self.asked.simplified.push(id);
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
        let id = rules(self);
        self.asked.inside = false;
        id
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
