//! Chooses each node's block (code motion) and each cell's register.
//!
//! A node's block is chosen between the first that has its operands and the last that dominates its users: outside
//! of loops if it can, else as late as possible. Cells that only copy each other become one; each gets a channel of a
//! register. The module knows no operations of the machine.

use crate::flow::{BlockId, CellId, FlowGraph, Shape};
use crate::graph::{Graph, Id, Op};
use crate::ir::Ir;
use crate::limits::{Exceeded, Limit};
use ctm_base::work::{Ended, Work};
use ctm_isa::isa::TEMPORARIES;
use std::collections::HashMap;

/// The name of this pass.
const PASS: &str = "place";

/// The work of a node.
const NODE: usize = 20;

/// The block of a node that is not computed.
pub const NOWHERE: BlockId = BlockId::MAX;

/// The blocks of nodes, the channels of cells.
pub struct Placement {
    /// The block of each node, or [`NOWHERE`].
    pub block: Vec<BlockId>,
    /// The values that each block sets at its end.
    pub sets: Vec<Vec<(CellId, Id)>>,
    /// The cell of each version.
    pub cell: Vec<CellId>,
    /// Versions that are read after their cell has changed: they are copied in their block.
    pub copied: Vec<bool>,
    /// The register and the channel of each cell; registers count from 0.
    pub places: Vec<(u8, u8)>,
    /// The number of registers of cells.
    pub registers: usize,
    /// The offset of the source where a cell of the last register is set.
    pub crowded: u32,
    /// By cell, the blocks at whose start it is alive.
    pub alive: Vec<Bits>,
    /// The control-flow graph of the blocks.
    pub shape: Shape,
}

/// Blocks as bits.
pub type Bits = Vec<bool>;

/// The blocks in which each cell is alive.
struct Live {
    /// By cell, at the start of each block.
    before: Vec<Bits>,
    /// By cell, after each block.
    after: Vec<Bits>,
}

/// Chooses blocks and channels. Fails where the source needs more registers than the machine has.
pub fn place(ir: &Ir, work: &Work<'_>) -> Result<Placement, Exceeded> {
    let (graph, flow) = (&ir.graph, &ir.flow);
    let ended = |why| Limit::Work(why).at(flow.blocks.last().map_or(0, |block| block.origin));
    // Each version may be read in each block, each cell be alive there.
    let round = NODE * graph.len() + (flow.versions.len() + 2 * flow.cells) * flow.blocks.len();
    work.spend(PASS, round).map_err(ended)?;
    let shape = Shape::of(&flow.blocks);
    let mut placement = Placement {
        block: Vec::new(),
        sets: flow.blocks.iter().map(|block| block.sets.clone()).collect(),
        cell: flow.versions.iter().map(|version| version.cell).collect(),
        copied: vec![false; flow.versions.len()],
        places: Vec::new(),
        registers: 0,
        crowded: 0,
        alive: Vec::new(),
        shape,
    };
    let live = loop {
        work.spend(PASS, round).map_err(ended)?;
        leave_out(ir, &mut placement);
        placement.block = blocks(ir, &placement);
        if copies(ir, &mut placement) {
            continue;
        }
        let live = lives(ir, &placement);
        let mut removed = false;
        for (block, sets) in placement.sets.iter_mut().enumerate() {
            let count = sets.len();
            sets.retain(|(cell, _)| live.after[*cell][block]);
            removed |= sets.len() < count;
        }
        if !removed {
            break live;
        }
    };
    let sets = placement.sets.iter().map(Vec::len).sum::<usize>();
    work.spend(PASS, sets.saturating_mul(flow.cells + flow.blocks.len())).map_err(ended)?;
    let class = merge(graph, flow, &mut placement, live);
    leave_out_repeated(&mut placement, work).map_err(ended)?;
    let live = lives(ir, &placement);
    registers(ir, &mut placement, &class, &live).map_err(|at| Limit::Temporaries.at(at))?;
    placement.alive = live.before;
    Ok(placement)
}

/// A node without signs.
fn peel(graph: &Graph, mut id: Id) -> Id {
    while matches!(graph.op(id), Op::Neg | Op::Abs) {
        id = graph.arg(id, 0);
    }
    id
}

/// The nodes that a block needs itself: sets, kills, writes, its condition, outputs.
fn roots<'b>(
    ir: &'b Ir,
    sets: &'b [Vec<(CellId, Id)>],
    block: BlockId,
) -> impl Iterator<Item = Id> + 'b {
    let flow = &ir.flow.blocks[block];
    let last = block + 1 == ir.flow.blocks.len();
    let outputs = ir.outputs.iter().filter(move |_| last).map(|(.., id)| *id);
    let sets = sets[block].iter().map(|(_, id)| *id);
    let conditions = flow.kills.iter().copied().chain(flow.end.condition());
    let conditions = conditions.map(|condition| ir.graph.tested(condition));
    sets.chain(conditions).chain(flow.writes.iter().flatten().copied()).chain(outputs)
}

/// The nodes that count: those that roots need, without the sets of cells that no node reads.
fn needed(ir: &Ir, placement: &Placement) -> Vec<bool> {
    let graph = &ir.graph;
    let mut needed = vec![false; graph.len()];
    let mut by_cell: Vec<Vec<Id>> = vec![Vec::new(); ir.flow.cells];
    for (cell, id) in placement.sets.iter().flatten() {
        by_cell[*cell].push(*id);
    }
    let none: Vec<Vec<(CellId, Id)>> = vec![Vec::new(); ir.flow.blocks.len()];
    let mut open: Vec<Id> =
        (0..ir.flow.blocks.len()).flat_map(|block| roots(ir, &none, block)).collect();
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut needed[id as usize], true) {
            continue;
        }
        if let Op::Live(n) = graph.op(id) {
            open.append(&mut by_cell[placement.cell[n as usize]]);
        }
        open.extend(graph.node(id).operands());
    }
    needed
}

/// Leaves out the sets of cells that no node with an effect reads: cells that only keep each other alive.
fn leave_out(ir: &Ir, placement: &mut Placement) {
    let needed = needed(ir, placement);
    let mut read = vec![false; ir.flow.cells];
    for (id, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
        if let Op::Live(n) = ir.graph.op(id as Id) {
            read[placement.cell[n as usize]] = true;
        }
    }
    for sets in &mut placement.sets {
        sets.retain(|(cell, _)| read[*cell]);
    }
}

/// The block of each node.
fn blocks(ir: &Ir, placement: &Placement) -> Vec<BlockId> {
    let (graph, flow, shape) = (&ir.graph, &ir.flow, &placement.shape);
    let count = graph.len();
    let needed = needed(ir, placement);
    let mut early: Vec<BlockId> = vec![0; count];
    for id in 0..count as Id {
        early[id as usize] = match graph.op(id) {
            // Attempts that were taken back leave nodes without a version.
            Op::Live(n) => flow.versions.get(n as usize).map_or(0, |version| version.block),
            Op::Column(n) => flow.columns.get(n as usize).map_or(0, |column| column.head),
            _ => {
                let operands = graph.node(id).operands().map(|arg| early[arg as usize]);
                operands.max_by_key(|block| shape.depth[*block]).unwrap_or(0)
            }
        };
    }
    let mut late: Vec<Option<BlockId>> = vec![None; count];
    // Products that only sums use stay with them: they become part of them.
    let mut alone: Vec<bool> = vec![true; count];
    let used = |late: &mut Vec<Option<BlockId>>, id: Id, block: BlockId| {
        let old = &mut late[id as usize];
        *old = Some(old.map_or(block, |old| shape.common(old, block)));
    };
    for block in 0..flow.blocks.len() {
        for id in roots(ir, &placement.sets, block) {
            if needed[id as usize] {
                used(&mut late, id, block);
                alone[peel(graph, id) as usize] = false;
            }
        }
    }
    let stale = stale(ir, placement);
    let mut chosen = vec![NOWHERE; count];
    for id in (0..count as Id).rev() {
        let Some(latest) = late[id as usize].filter(|_| needed[id as usize]) else { continue };
        let node = graph.node(id);
        let earliest = early[id as usize];
        let mut best = latest;
        match node.op {
            Op::Live(_) => {
                chosen[id as usize] = latest;
                continue;
            }
            // A sign is part of its user; a channel comes with its fetch.
            Op::Neg | Op::Abs | Op::Texel(_) => {}
            // The neighbours are active where the operand is made.
            Op::Dx | Op::Dy => best = earliest,
            _ => {
                let valid = |block: BlockId| {
                    // aL is that of the innermost loop.
                    let around = match node.op {
                        Op::Column(n) => Some(flow.columns[n as usize].head),
                        _ => None,
                    };
                    around.is_none_or(|head| shape.innermost(block) == Some(head))
                        && node.operands().all(|arg| match graph.op(peel(graph, arg)) {
                            Op::Live(n) => !stale[n as usize][block],
                            _ => true,
                        })
                };
                let stays = node.op == Op::Mul && alone[id as usize];
                let mut found = valid(latest);
                let mut block = latest;
                while block != earliest {
                    block = shape.dominator[block];
                    let better = shape.loops[block] < shape.loops[best] && !stays;
                    if valid(block) && (better || !found) {
                        best = block;
                        found = true;
                    }
                }
                if !found {
                    best = earliest;
                }
            }
        }
        chosen[id as usize] = best;
        for arg in node.operands() {
            used(&mut late, arg, best);
            // A sign's users count.
            alone[peel(graph, arg) as usize] &= matches!(node.op, Op::Add | Op::Neg);
        }
    }
    for id in 0..count as Id {
        if let Op::Texel(_) = graph.op(id)
            && chosen[id as usize] != NOWHERE
        {
            chosen[id as usize] = chosen[graph.arg(id, 0) as usize];
        }
    }
    chosen
}

/// By version, the blocks at whose start its cell may hold something else.
fn stale(ir: &Ir, placement: &Placement) -> Vec<Bits> {
    let flow = &ir.flow;
    let mut setters: Vec<Vec<BlockId>> = vec![Vec::new(); flow.cells];
    for (block, sets) in placement.sets.iter().enumerate() {
        for (cell, _) in sets {
            setters[*cell].push(block);
        }
    }
    let stale = flow.versions.iter().enumerate().map(|(n, version)| {
        if placement.copied[n] {
            return vec![false; flow.blocks.len()];
        }
        placement.shape.reached(setters[version.cell].iter().copied(), version.block)
    });
    stale.collect()
}

/// The versions that a block reads from their cells.
fn read(ir: &Ir, placement: &Placement, mut each: impl FnMut(BlockId, usize)) {
    let graph = &ir.graph;
    let version = |id: Id| match graph.op(peel(graph, id)) {
        Op::Live(n) => Some(n as usize),
        _ => None,
    };
    let mut note = |block: BlockId, id: Id| {
        if let Some(n) = version(id) {
            let own = ir.flow.versions[n].block;
            each(if placement.copied[n] { own } else { block }, n);
        }
    };
    for block in 0..ir.flow.blocks.len() {
        for id in roots(ir, &placement.sets, block) {
            note(block, id);
        }
    }
    for id in 0..graph.len() as Id {
        let block = placement.block[id as usize];
        if block == NOWHERE || matches!(graph.op(id), Op::Neg | Op::Abs) {
            continue;
        }
        for arg in graph.node(id).operands() {
            note(block, arg);
        }
    }
}

/// Marks versions that are read too late. Returns whether there are new ones.
fn copies(ir: &Ir, placement: &mut Placement) -> bool {
    let stale = stale(ir, placement);
    let mut found = Vec::new();
    read(ir, placement, |block, n| {
        if !placement.copied[n] && stale[n][block] {
            found.push(n);
        }
    });
    for n in &found {
        placement.copied[*n] = true;
    }
    !found.is_empty()
}

/// The liveness of cells: from their reads back to their sets. A set counts only where its cell is alive after it, and so do
/// the reads of what it sets.
fn lives(ir: &Ir, placement: &Placement) -> Live {
    let graph = &ir.graph;
    let (cells, blocks) = (ir.flow.cells, ir.flow.blocks.len());
    let mut live =
        Live { before: vec![vec![false; blocks]; cells], after: vec![vec![false; blocks]; cells] };
    let mut predecessors: Vec<Vec<BlockId>> = vec![Vec::new(); blocks];
    for (block, successors) in placement.shape.successors.iter().enumerate() {
        for next in successors {
            predecessors[*next].push(block);
        }
    }
    let none: Vec<Vec<(CellId, Id)>> = vec![Vec::new(); blocks];
    let mut seen = vec![false; graph.len()];
    // Nodes with the block that reads them, and cells with the block that finds them alive.
    let mut open: Vec<(BlockId, Id)> =
        (0..blocks).flat_map(|block| roots(ir, &none, block).map(move |id| (block, id))).collect();
    while let Some((block, id)) = open.pop() {
        let base = peel(graph, id);
        let Op::Live(n) = graph.op(base) else {
            if !std::mem::replace(&mut seen[base as usize], true) {
                let own = placement.block[base as usize];
                open.extend(graph.node(base).operands().map(|arg| (own, arg)));
            }
            continue;
        };
        let n = n as usize;
        let cell = placement.cell[n];
        let mut alive = vec![if placement.copied[n] { ir.flow.versions[n].block } else { block }];
        while let Some(block) = alive.pop() {
            if std::mem::replace(&mut live.before[cell][block], true) {
                continue;
            }
            for before in &predecessors[block] {
                if std::mem::replace(&mut live.after[cell][*before], true) {
                    continue;
                }
                let mut sets = placement.sets[*before].iter().filter(|(set, _)| *set == cell);
                match sets.next() {
                    Some((_, value)) => open.push((*before, *value)),
                    None => alive.push(*before),
                }
                open.extend(sets.map(|(_, value)| (*before, *value)));
            }
        }
    }
    live
}

/// The blocks that set each cell.
fn setters(cells: usize, sets: &[Vec<(CellId, Id)>]) -> Vec<Vec<BlockId>> {
    let mut setters: Vec<Vec<BlockId>> = vec![Vec::new(); cells];
    for (block, sets) in sets.iter().enumerate() {
        for (cell, _) in sets {
            setters[*cell].push(block);
        }
    }
    setters
}

/// Whether two cells cannot share a channel.
fn meets(live: &Live, setters: &[Vec<BlockId>], a: CellId, b: CellId) -> bool {
    let both = live.before[a].iter().zip(&live.before[b]).any(|(a, b)| *a && *b);
    let over = |x: CellId, y: CellId| setters[x].iter().any(|block| live.after[y][*block]);
    both || over(a, b) || over(b, a)
}

/// Makes one cell of cells that only copy each other. Returns the cell that each became.
fn merge(
    graph: &Graph,
    flow: &FlowGraph,
    placement: &mut Placement,
    mut live: Live,
) -> Vec<CellId> {
    let mut class: Vec<CellId> = (0..flow.cells).collect();
    let mut setters = setters(flow.cells, &placement.sets);
    for block in 0..placement.sets.len() {
        for (cell, value) in placement.sets[block].clone() {
            let Op::Live(n) = graph.op(value) else { continue };
            if placement.copied[n as usize] {
                continue;
            }
            let (a, b) = (class[cell], class[placement.cell[n as usize]]);
            if a == b || meets(&live, &setters, a, b) {
                continue;
            }
            for n in 0..live.before[a].len() {
                live.before[a][n] |= live.before[b][n];
                live.after[a][n] |= live.after[b][n];
            }
            let moved = std::mem::take(&mut setters[b]);
            setters[a].extend(moved);
            live.before[b].fill(false);
            live.after[b].fill(false);
            for other in &mut class {
                if *other == b {
                    *other = a;
                }
            }
        }
    }
    for cell in &mut placement.cell {
        *cell = class[*cell];
    }
    for sets in &mut placement.sets {
        for (cell, _) in sets.iter_mut() {
            *cell = class[*cell];
        }
        let cells = &placement.cell;
        sets.retain(|(cell, value)| match graph.op(*value) {
            Op::Live(n) => placement.copied[n as usize] || cells[n as usize] != *cell,
            _ => true,
        });
    }
    class
}

/// Leaves out sets of a value that the cell has already: a block before has set it, and no block between sets another
/// value.
fn leave_out_repeated(placement: &mut Placement, work: &Work<'_>) -> Result<(), Ended> {
    let size = placement.sets.iter().map(|sets| 1 + sets.len()).sum::<usize>();
    let mut by_value: HashMap<(CellId, Id), Vec<BlockId>> = HashMap::new();
    for (block, sets) in placement.sets.iter().enumerate() {
        for set in sets {
            by_value.entry(*set).or_default().push(block);
        }
    }
    let mut repeated = Vec::new();
    for ((cell, value), blocks) in by_value {
        for (n, block) in blocks.iter().enumerate() {
            work.spend(PASS, n.saturating_mul(size))?;
            let held = blocks[..n].iter().any(|before| {
                placement.shape.common(*before, *block) == *before
                    && !placement.changed(cell, *before, *block)
            });
            if held {
                repeated.push((*block, (cell, value)));
            }
        }
    }
    for (block, set) in repeated {
        placement.sets[block].retain(|other| *other != set);
    }
    Ok(())
}

/// Gives cells their registers.
fn registers(ir: &Ir, placement: &mut Placement, class: &[CellId], live: &Live) -> Result<(), u32> {
    let (graph, flow) = (&ir.graph, &ir.flow);
    let setters = setters(flow.cells, &placement.sets);
    // Registers: vectors first, then what is alone fills up.
    let alive =
        |cell: CellId| live.before[cell].contains(&true) || live.after[cell].contains(&true);
    let mut held: Vec<[Vec<CellId>; 4]> = Vec::new();
    let mut places: Vec<Option<(u8, u8)>> = vec![None; flow.cells];
    let mut vectors: Vec<Vec<CellId>> = Vec::new();
    for vector in &flow.vectors {
        let mut cells: Vec<CellId> = Vec::new();
        for cell in vector {
            let cell = class[*cell];
            if alive(cell) && !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        vectors.push(cells);
    }
    vectors.sort_by_key(|cells| std::cmp::Reverse(cells.len()));
    for cells in vectors {
        let open: Vec<CellId> = cells.into_iter().filter(|cell| places[*cell].is_none()).collect();
        if open.is_empty() {
            continue;
        }
        let free = |register: &[Vec<CellId>; 4], channel: usize, cell: CellId| {
            register[channel].iter().all(|other| !meets(live, &setters, cell, *other))
        };
        let channels: &[usize] = if open.len() == 1 { &[3, 0, 1, 2] } else { &[0, 1, 2, 3] };
        let fit = |register: &[Vec<CellId>; 4]| {
            let mut taken: Vec<usize> = Vec::new();
            for cell in &open {
                let channel = channels
                    .iter()
                    .copied()
                    .find(|channel| !taken.contains(channel) && free(register, *channel, *cell))?;
                taken.push(channel);
            }
            Some(taken)
        };
        let found = held.iter().enumerate().find_map(|(n, register)| Some((n, fit(register)?)));
        let (n, taken) = found.unwrap_or_else(|| {
            held.push(Default::default());
            (held.len() - 1, channels[..open.len()].to_vec())
        });
        if n + 1 == held.len() {
            let sets = placement.sets.iter().flatten();
            let own = sets.filter(|(cell, _)| open.contains(cell));
            let last = own.map(|(_, value)| graph.origin_of(*value)).max();
            placement.crowded = last.unwrap_or(0);
        }
        if n >= TEMPORARIES {
            return Err(placement.crowded);
        }
        for (cell, channel) in open.into_iter().zip(taken) {
            held[n][channel].push(cell);
            places[cell] = Some((n as u8, channel as u8));
        }
    }
    placement.registers = held.len();
    placement.places = places.into_iter().map(Option::unwrap_or_default).collect();
    Ok(())
}

impl Placement {
    /// Whether a cell set in block `from` may have another value in block `at`, before the sets of `at` itself.
    pub fn changed(&self, cell: CellId, from: BlockId, at: BlockId) -> bool {
        let setters = self
            .sets
            .iter()
            .enumerate()
            .filter(|(block, sets)| *block != from && sets.iter().any(|(set, _)| *set == cell))
            .map(|(block, _)| block);
        self.shape.reached(setters, from)[at]
    }

    /// Whether a block is outside all branches and loops.
    pub fn outermost(&self, block: BlockId) -> bool {
        self.shape.nesting[block] == 0
    }
}
