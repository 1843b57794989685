//! The operations of a program: what instructions are made of.

use crate::flow::{BlockId, Control};
use crate::graph::{Fetch, Id, NONE};
use ctm_isa::isa::{AluOp, Comparison, Omod, Presub};
use rustc_hash::FxHashMap;

/// A number that comes from a constant register, or from the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// The bits of a float.
    Literal(u32),
    /// A number of the job.
    Uniform(u32),
    /// A channel of the constant register of this number.
    Register(u8, u8),
    /// An element of a constant array, by the iteration of the loop around: an index of [`crate::flow::FlowGraph::arrays`].
    Array(u32),
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

/// The value that an operand reads.
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
    /// The value that it reads.
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

    /// The same, to change them; a presubtract of one source has it twice.
    pub fn atoms_mut(&mut self) -> &mut [Atom] {
        match &mut self.source {
            Source::Atom(atom) => std::slice::from_mut(atom),
            Source::Presub(_, atoms) => atoms,
        }
    }
}

/// The function of an operation.
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
    /// An uncached write: the value, the column and the row.
    Write,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its function.
    pub does: Does,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// The output modifier.
    pub omod: Omod,
    /// The result is limited to [0, 1].
    pub clamp: bool,
    /// The output and the channels of it that take the result: bit 0 R to bit 3 A.
    pub out: Option<(u8, u8)>,
    /// The values that it makes: one, or for a fetch one for each channel.
    pub results: Vec<Option<ValueId>>,
    /// The node that it computes; [`NONE`] for a copy into a variable.
    pub node: Id,
    /// Offset of the source.
    pub origin: u32,
    /// Offset of the source of the store to the output or variable, or of the branch that tests it; 0 without one.
    pub stored: u32,
    /// The block.
    pub block: BlockId,
    /// Its result is the condition of the block's end.
    pub test: bool,
    /// Operations of the block that read what it overwrites.
    pub after: Vec<usize>,
}

impl Operation {
    /// An operation without modifiers.
    pub fn new(
        does: Does,
        operands: Vec<Operand>,
        results: Vec<Option<ValueId>>,
        block: BlockId,
    ) -> Operation {
        Operation {
            does,
            operands,
            omod: Omod::X1,
            clamp: false,
            out: None,
            results,
            node: NONE,
            origin: 0,
            stored: 0,
            block,
            test: false,
            after: Vec::new(),
        }
    }

    /// The only value that it makes.
    pub fn result(&self) -> Option<ValueId> {
        self.results.first().copied().flatten()
    }

    /// Whether it computes a value in any channel.
    pub fn is_arithmetic(&self) -> bool {
        match self.does {
            Does::Lane(op) => !op.is_neighbour(),
            Does::Dot(_) => true,
            Does::Fetch(_) | Does::Kill | Does::Write => false,
        }
    }

    /// The values that it reads.
    pub fn reads(&self) -> impl Iterator<Item = ValueId> {
        self.operands.iter().flat_map(Operand::atoms).filter_map(|atom| match atom {
            Atom::Value(value) => Some(value),
            Atom::Constant(_) => None,
        })
    }
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
    /// The register, counted from the first after the varyings, and the channel, of the value of a variable.
    pub fixed: Option<(u8, u8)>,
}

/// Values that should be in one register.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The number of members.
    pub members: u8,
    /// They must be.
    pub strict: bool,
}

/// The end of a block, and how its condition is tested: the comparison with 0, and whether it must fail.
#[derive(Clone, Copy, Debug)]
pub struct BlockEnd {
    /// The end.
    pub end: Control,
    /// The test; `None` if the condition always holds.
    pub test: Option<(Comparison, bool)>,
    /// Of a loop: its body reads constant arrays.
    pub indexed: bool,
    /// Offset of the source.
    pub origin: u32,
}

/// Choices of selection for which neither side is always better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Products go into sums.
    pub mad: bool,
    /// Sums go into presubtracts before products go into them.
    pub presubtract_first: bool,
    /// Sums go into presubtracts.
    pub presubtract: bool,
    /// Dot products stay.
    pub dot: bool,
}

/// The function, operands and output modifier of a copy. `bits`: it keeps those of a NaN and of a denormal, too.
pub fn copy(operand: Operand, bits: bool) -> (Does, Vec<Operand>, Omod) {
    if bits {
        return (Does::Lane(AluOp::Max), vec![operand, operand], Omod::Disabled);
    }
    let [one, zero] = [1.0, -0.0].map(Operand::literal);
    (Does::Lane(AluOp::Mad), vec![operand, one, zero], Omod::X1)
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
    /// The ends of the blocks.
    pub ends: Vec<BlockEnd>,
    /// The first and the last block of each loop.
    pub loops: Vec<(BlockId, BlockId)>,
    /// The number of registers of variables.
    pub registers: usize,
    /// The offset of the source of an assignment to a variable of the last register.
    pub crowded: u32,
    /// By node of the graph, whether operations of its users compute it.
    pub joined: Vec<bool>,
    /// The value of each node that has one; of a fetch, its operation.
    pub made: FxHashMap<Id, ValueId>,
    /// The nodes that presubtracts compute.
    pub sums: Vec<(Source, Id)>,
    /// The choices of selection.
    pub policy: Policy,
    /// Cheap values are computed again for each reader.
    pub rematerialized: bool,
    /// The counts of the graph's nodes and of those folded into other operations.
    pub folded: Folded,
}

/// The nodes with an effect, and how many of them other operations take in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Folded {
    /// All nodes that compute.
    pub nodes: usize,
    /// Signs and magnitudes, which operands have.
    pub signs: usize,
    /// Products in sums.
    pub products: usize,
    /// Sums in presubtracts.
    pub sums: usize,
    /// Products and clamps that are modifiers of a result.
    pub modifiers: usize,
}
