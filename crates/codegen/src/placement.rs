//! Where values are: the blocks of nodes, the registers of variables.

use crate::flow::{BlockId, Cfg, FlowGraph, VariableId};
use crate::graph::{Graph, Id, Op};
use crate::ir::Ir;

/// The name of code motion, in errors.
pub const PASS: &str = "code motion";

/// The block of a node that is not computed.
pub const NOWHERE: BlockId = BlockId::MAX;

/// The blocks of nodes, the channels of variables.
pub struct Placement {
    /// The block of each node, or [`NOWHERE`].
    pub block: Vec<BlockId>,
    /// The values that each block sets at its end.
    pub assignments: Vec<Vec<(VariableId, Id)>>,
    /// The variable of each phi.
    pub variable: Vec<VariableId>,
    /// By variable of the source's blocks, the one that it was coalesced into.
    pub class: Vec<VariableId>,
    /// Phis that are read after their variable has changed: they are copied in their block.
    pub copied: Vec<bool>,
    /// The register and the channel of each variable; registers count from 0.
    pub places: Vec<(u8, u8)>,
    /// The number of registers of variables.
    pub registers: usize,
    /// The offset of the source of an assignment to a variable of the last register.
    pub crowded: u32,
    /// By variable, the blocks at whose start it is alive.
    pub alive: Vec<Bits>,
    /// The control-flow graph of the blocks.
    pub cfg: Cfg,
}

/// Blocks as bits.
pub type Bits = Vec<bool>;

/// A node without signs.
pub fn strip_modifiers(graph: &Graph, mut id: Id) -> Id {
    while matches!(graph.op(id), Op::Neg | Op::Abs) {
        id = graph.arg(id, 0);
    }
    id
}

/// The nodes that a block needs itself: assignments, kills, writes, its condition, outputs.
pub fn roots<'b>(
    ir: &'b Ir,
    assignments: &'b [Vec<(VariableId, Id)>],
    block: BlockId,
) -> impl Iterator<Item = Id> + 'b {
    let flow = &ir.flow.blocks[block];
    let last = block + 1 == ir.flow.blocks.len();
    let outputs = ir.outputs.iter().filter(move |_| last).map(|output| output.value);
    let assignments = assignments[block].iter().map(|(_, id)| *id);
    let kills = flow.kills.iter().map(|(condition, _)| *condition);
    let conditions = kills.chain(flow.end.condition());
    let conditions = conditions.map(|condition| ir.graph.tested(condition));
    let writes = flow.writes.iter().flat_map(|(write, _)| write).copied();
    assignments.chain(conditions).chain(writes).chain(outputs)
}

impl Placement {
    /// The offset of the source of the store of a value that a block assigns to a variable, if it is known.
    pub fn store(
        &self,
        flow: &FlowGraph,
        block: BlockId,
        variable: VariableId,
        value: Id,
    ) -> Option<u32> {
        let mut stores = flow.blocks[block].assignments.iter().filter(|(own, assigned)| {
            *assigned == value && self.class.get(*own) == Some(&variable)
        });
        stores.find_map(|(own, _)| flow.stores.get(&(block, *own))).copied()
    }

    /// Whether a variable assigned in block `from` may have another value in block `at`, before the assignments of `at`.
    pub fn changed(&self, variable: VariableId, from: BlockId, at: BlockId) -> bool {
        let definitions = self
            .assignments
            .iter()
            .enumerate()
            .filter(|(block, assignments)| {
                *block != from && assignments.iter().any(|(assigned, _)| *assigned == variable)
            })
            .map(|(block, _)| block);
        self.cfg.reached(definitions, from)[at]
    }

    /// Whether a block is outside all branches and loops.
    pub fn outermost(&self, block: BlockId) -> bool {
        self.cfg.nesting[block] == 0
    }
}
