//! Code motion: chooses the block of each node.
//!
//! A node can be computed in any block from the first that has its operands to the last that dominates its users. It
//! goes into the last of those with the fewest loops around them. The module knows no operations of the machine.

use crate::flow::{BlockId, Cfg, VariableId};
use crate::graph::{Id, Op};
use crate::ir::Ir;
use crate::limits::{Exceeded, Limit};
use crate::placement::{Bits, NOWHERE, PASS, Placement, roots, strip_modifiers};
use crate::variables::{allocate, coalesce, liveness, remove_redundant_assignments};
use ctm_base::work::Work;

/// The work of a node.
const NODE: usize = 20;

/// Chooses the blocks of nodes, then the channels of variables. Fails where the source needs more registers than the machine has.
pub fn place(ir: &Ir, work: &Work<'_>) -> Result<Placement, Exceeded> {
    let (graph, flow) = (&ir.graph, &ir.flow);
    let ended = |why| Limit::Work(why).at(flow.blocks.last().map_or(0, |block| block.origin));
    // Each phi may be read in each block, each variable be alive there.
    let round = NODE * graph.size() + (flow.phis.len() + 2 * flow.variables) * flow.blocks.len();
    work.spend(PASS, round).map_err(ended)?;
    let cfg = Cfg::of(&flow.blocks);
    let mut placement = Placement {
        block: Vec::new(),
        assignments: flow.blocks.iter().map(|block| block.assignments.clone()).collect(),
        variable: flow.phis.iter().map(|phi| phi.variable).collect(),
        class: Vec::new(),
        copied: vec![false; flow.phis.len()],
        places: Vec::new(),
        registers: 0,
        crowded: 0,
        alive: Vec::new(),
        cfg,
    };
    let live = loop {
        work.spend(PASS, round).map_err(ended)?;
        remove_dead_assignments(ir, &mut placement);
        placement.block = blocks(ir, &placement);
        if copies(ir, &mut placement) {
            continue;
        }
        let live = liveness(ir, &placement);
        let mut removed = false;
        for (block, assignments) in placement.assignments.iter_mut().enumerate() {
            let count = assignments.len();
            assignments.retain(|(variable, _)| live.after[*variable][block]);
            removed |= assignments.len() < count;
        }
        if !removed {
            break live;
        }
    };
    let assignments = placement.assignments.iter().map(Vec::len).sum::<usize>();
    work.spend(PASS, assignments.saturating_mul(flow.variables + flow.blocks.len()))
        .map_err(ended)?;
    let class = coalesce(graph, flow, &mut placement, live);
    remove_redundant_assignments(&mut placement, work).map_err(ended)?;
    let live = liveness(ir, &placement);
    allocate(ir, &mut placement, &class, &live).map_err(|at| Limit::Temporaries.at(at))?;
    placement.class = class;
    placement.alive = live.before;
    Ok(placement)
}

/// The nodes that count: those that roots need, without the assignments to variables that no node reads.
fn needed(ir: &Ir, placement: &Placement) -> Vec<bool> {
    let graph = &ir.graph;
    let mut needed = vec![false; graph.size()];
    let mut by_variable: Vec<Vec<Id>> = vec![Vec::new(); ir.flow.variables];
    for (variable, id) in placement.assignments.iter().flatten() {
        by_variable[*variable].push(*id);
    }
    let none: Vec<Vec<(VariableId, Id)>> = vec![Vec::new(); ir.flow.blocks.len()];
    let mut open: Vec<Id> =
        (0..ir.flow.blocks.len()).flat_map(|block| roots(ir, &none, block)).collect();
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut needed[id as usize], true) {
            continue;
        }
        if let Op::Phi(n) = graph.op(id) {
            open.append(&mut by_variable[placement.variable[n as usize]]);
        }
        open.extend(graph.node(id).operands());
    }
    needed
}

/// Removes the assignments to variables that no node with an effect reads: variables that only keep each other alive.
fn remove_dead_assignments(ir: &Ir, placement: &mut Placement) {
    let needed = needed(ir, placement);
    let mut read = vec![false; ir.flow.variables];
    for (id, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
        if let Op::Phi(n) = ir.graph.op(id as Id) {
            read[placement.variable[n as usize]] = true;
        }
    }
    for assignments in &mut placement.assignments {
        assignments.retain(|(variable, _)| read[*variable]);
    }
}

/// The block of each node.
fn blocks(ir: &Ir, placement: &Placement) -> Vec<BlockId> {
    let (graph, flow, cfg) = (&ir.graph, &ir.flow, &placement.cfg);
    let count = graph.size();
    let needed = needed(ir, placement);
    let mut early: Vec<BlockId> = vec![0; count];
    for id in 0..count as Id {
        early[id as usize] = match graph.op(id) {
            // Attempts that were rolled back leave nodes without a phi.
            Op::Phi(n) => flow.phis.get(n as usize).map_or(0, |phi| phi.block),
            Op::Array(n) => flow.arrays.get(n as usize).map_or(0, |array| array.head),
            _ => {
                let operands = graph.node(id).operands().map(|arg| early[arg as usize]);
                operands.max_by_key(|block| cfg.depth[*block]).unwrap_or(0)
            }
        };
    }
    let mut late: Vec<Option<BlockId>> = vec![None; count];
    // Products that only sums use stay with them: they become part of them.
    let mut alone: Vec<bool> = vec![true; count];
    let used = |late: &mut Vec<Option<BlockId>>, id: Id, block: BlockId| {
        let old = &mut late[id as usize];
        *old = Some(old.map_or(block, |old| cfg.common(old, block)));
    };
    for block in 0..flow.blocks.len() {
        for id in roots(ir, &placement.assignments, block) {
            if needed[id as usize] {
                used(&mut late, id, block);
                alone[strip_modifiers(graph, id) as usize] = false;
            }
        }
    }
    let clobbered = clobbered(ir, placement);
    let mut chosen = vec![NOWHERE; count];
    for id in (0..count as Id).rev() {
        let Some(latest) = late[id as usize].filter(|_| needed[id as usize]) else { continue };
        let node = graph.node(id);
        let earliest = early[id as usize];
        let mut best = latest;
        match node.op {
            Op::Phi(_) => {
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
                        Op::Array(n) => Some(flow.arrays[n as usize].head),
                        _ => None,
                    };
                    around.is_none_or(|head| cfg.innermost(block) == Some(head))
                        && node.operands().all(|arg| match graph.op(strip_modifiers(graph, arg)) {
                            Op::Phi(n) => !clobbered[n as usize][block],
                            _ => true,
                        })
                };
                let stays = node.op == Op::Mul && alone[id as usize];
                let mut found = valid(latest);
                let mut block = latest;
                while block != earliest {
                    block = cfg.dominator[block];
                    let better = cfg.loops[block] < cfg.loops[best] && !stays;
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
            alone[strip_modifiers(graph, arg) as usize] &= matches!(node.op, Op::Add | Op::Neg);
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

/// By phi, the blocks at whose start its variable may hold another value.
fn clobbered(ir: &Ir, placement: &Placement) -> Vec<Bits> {
    let flow = &ir.flow;
    let mut definitions: Vec<Vec<BlockId>> = vec![Vec::new(); flow.variables];
    for (block, assignments) in placement.assignments.iter().enumerate() {
        for (variable, _) in assignments {
            definitions[*variable].push(block);
        }
    }
    let clobbered = flow.phis.iter().enumerate().map(|(n, phi)| {
        if placement.copied[n] {
            return vec![false; flow.blocks.len()];
        }
        placement.cfg.reached(definitions[phi.variable].iter().copied(), phi.block)
    });
    clobbered.collect()
}

/// The phis that each block reads from the registers of their variables.
fn read(ir: &Ir, placement: &Placement, mut each: impl FnMut(BlockId, usize)) {
    let graph = &ir.graph;
    let phi = |id: Id| match graph.op(strip_modifiers(graph, id)) {
        Op::Phi(n) => Some(n as usize),
        _ => None,
    };
    let mut note = |block: BlockId, id: Id| {
        if let Some(n) = phi(id) {
            let own = ir.flow.phis[n].block;
            each(if placement.copied[n] { own } else { block }, n);
        }
    };
    for block in 0..ir.flow.blocks.len() {
        for id in roots(ir, &placement.assignments, block) {
            note(block, id);
        }
    }
    for id in 0..graph.size() as Id {
        let block = placement.block[id as usize];
        if block == NOWHERE || matches!(graph.op(id), Op::Neg | Op::Abs) {
            continue;
        }
        for arg in graph.node(id).operands() {
            note(block, arg);
        }
    }
}

/// Marks phis that are read after their variable has changed. Returns whether there are new ones.
fn copies(ir: &Ir, placement: &mut Placement) -> bool {
    let clobbered = clobbered(ir, placement);
    let mut found = Vec::new();
    read(ir, placement, |block, n| {
        if !placement.copied[n] && clobbered[n][block] {
            found.push(n);
        }
    });
    for n in &found {
        placement.copied[*n] = true;
    }
    !found.is_empty()
}
