//! The registers of variables: liveness, coalescing, allocation.
//!
//! Variables that only copy each other become one. Each gets a channel of a register that no other variable has while it is
//! alive.

use crate::flow::{BlockId, FlowGraph, VariableId};
use crate::graph::{Graph, Id, Op};
use crate::ir::Ir;
use crate::placement::{Bits, PASS, Placement, roots, strip_modifiers};
use ctm_base::work::{Ended, Work};
use ctm_isa::isa::TEMPORARIES;
use rustc_hash::FxHashMap;

/// The blocks in which each variable is alive.
pub struct Live {
    /// By variable, at the start of each block.
    pub before: Vec<Bits>,
    /// By variable, after each block.
    pub after: Vec<Bits>,
}

/// The liveness of variables: from their reads back to their assignments. An assignment
/// counts only where its variable is alive afterwards, and so do the reads of its value.
pub fn liveness(ir: &Ir, placement: &Placement) -> Live {
    let graph = &ir.graph;
    let (variables, blocks) = (ir.flow.variables, ir.flow.blocks.len());
    let mut live = Live {
        before: vec![vec![false; blocks]; variables],
        after: vec![vec![false; blocks]; variables],
    };
    let mut predecessors: Vec<Vec<BlockId>> = vec![Vec::new(); blocks];
    for (block, successors) in placement.cfg.successors.iter().enumerate() {
        for next in successors {
            predecessors[*next].push(block);
        }
    }
    let none: Vec<Vec<(VariableId, Id)>> = vec![Vec::new(); blocks];
    let mut seen = vec![false; graph.size()];
    // Nodes with the block that reads them, and variables with the block that finds them alive.
    let mut open: Vec<(BlockId, Id)> =
        (0..blocks).flat_map(|block| roots(ir, &none, block).map(move |id| (block, id))).collect();
    while let Some((block, id)) = open.pop() {
        let base = strip_modifiers(graph, id);
        let Op::Phi(n) = graph.op(base) else {
            if !std::mem::replace(&mut seen[base as usize], true) {
                let own = placement.block[base as usize];
                open.extend(graph.node(base).operands().map(|arg| (own, arg)));
            }
            continue;
        };
        let n = n as usize;
        let variable = placement.variable[n];
        let mut alive = vec![if placement.copied[n] { ir.flow.phis[n].block } else { block }];
        while let Some(block) = alive.pop() {
            if std::mem::replace(&mut live.before[variable][block], true) {
                continue;
            }
            for before in &predecessors[block] {
                if std::mem::replace(&mut live.after[variable][*before], true) {
                    continue;
                }
                let mut assignments = placement.assignments[*before]
                    .iter()
                    .filter(|(assigned, _)| *assigned == variable);
                match assignments.next() {
                    Some((_, value)) => open.push((*before, *value)),
                    None => alive.push(*before),
                }
                open.extend(assignments.map(|(_, value)| (*before, *value)));
            }
        }
    }
    live
}

/// The blocks that assign to each variable.
fn definitions(variables: usize, assignments: &[Vec<(VariableId, Id)>]) -> Vec<Vec<BlockId>> {
    let mut definitions: Vec<Vec<BlockId>> = vec![Vec::new(); variables];
    for (block, assignments) in assignments.iter().enumerate() {
        for (variable, _) in assignments {
            definitions[*variable].push(block);
        }
    }
    definitions
}

/// Whether two variables are alive at the same time, and cannot share a channel.
fn interfere(live: &Live, definitions: &[Vec<BlockId>], a: VariableId, b: VariableId) -> bool {
    let both = live.before[a].iter().zip(&live.before[b]).any(|(a, b)| *a && *b);
    let over =
        |x: VariableId, y: VariableId| definitions[x].iter().any(|block| live.after[y][*block]);
    both || over(a, b) || over(b, a)
}

/// Coalesces variables that only copy each other. Returns the variable that each became.
pub fn coalesce(
    graph: &Graph,
    flow: &FlowGraph,
    placement: &mut Placement,
    mut live: Live,
) -> Vec<VariableId> {
    let mut class: Vec<VariableId> = (0..flow.variables).collect();
    let mut definitions = definitions(flow.variables, &placement.assignments);
    for block in 0..placement.assignments.len() {
        for (variable, value) in placement.assignments[block].clone() {
            let Op::Phi(n) = graph.op(value) else { continue };
            if placement.copied[n as usize] {
                continue;
            }
            let (a, b) = (class[variable], class[placement.variable[n as usize]]);
            if a == b || interfere(&live, &definitions, a, b) {
                continue;
            }
            for n in 0..live.before[a].len() {
                live.before[a][n] |= live.before[b][n];
                live.after[a][n] |= live.after[b][n];
            }
            let moved = std::mem::take(&mut definitions[b]);
            definitions[a].extend(moved);
            live.before[b].fill(false);
            live.after[b].fill(false);
            for other in &mut class {
                if *other == b {
                    *other = a;
                }
            }
        }
    }
    for variable in &mut placement.variable {
        *variable = class[*variable];
    }
    for assignments in &mut placement.assignments {
        for (variable, _) in assignments.iter_mut() {
            *variable = class[*variable];
        }
        let variables = &placement.variable;
        assignments.retain(|(variable, value)| match graph.op(*value) {
            Op::Phi(n) => placement.copied[n as usize] || variables[n as usize] != *variable,
            _ => true,
        });
    }
    class
}

/// Removes assignments of a value that the variable has already: a dominating block assigns it, and no block between
/// assigns another one.
pub fn remove_redundant_assignments(
    placement: &mut Placement,
    work: &Work<'_>,
) -> Result<(), Ended> {
    let size = placement.assignments.iter().map(|assignments| 1 + assignments.len()).sum::<usize>();
    let mut by_value: FxHashMap<(VariableId, Id), Vec<BlockId>> = FxHashMap::default();
    for (block, assignments) in placement.assignments.iter().enumerate() {
        for assignment in assignments {
            by_value.entry(*assignment).or_default().push(block);
        }
    }
    let mut repeated = Vec::new();
    for ((variable, value), blocks) in by_value {
        for (n, block) in blocks.iter().enumerate() {
            work.spend(PASS, n.saturating_mul(size))?;
            let held = blocks[..n].iter().any(|before| {
                placement.cfg.common(*before, *block) == *before
                    && !placement.changed(variable, *before, *block)
            });
            if held {
                repeated.push((*block, (variable, value)));
            }
        }
    }
    for (block, assignment) in repeated {
        placement.assignments[block].retain(|other| *other != assignment);
    }
    Ok(())
}

/// Allocates the registers of variables.
pub fn allocate(
    ir: &Ir,
    placement: &mut Placement,
    class: &[VariableId],
    live: &Live,
) -> Result<(), u32> {
    let (graph, flow) = (&ir.graph, &ir.flow);
    let definitions = definitions(flow.variables, &placement.assignments);
    // Registers: vectors first, then what is alone fills up.
    let alive = |variable: VariableId| {
        live.before[variable].contains(&true) || live.after[variable].contains(&true)
    };
    let mut held: Vec<[Vec<VariableId>; 4]> = Vec::new();
    let mut places: Vec<Option<(u8, u8)>> = vec![None; flow.variables];
    let mut vectors: Vec<Vec<VariableId>> = Vec::new();
    for vector in &flow.vectors {
        let mut variables: Vec<VariableId> = Vec::new();
        for variable in vector {
            let variable = class[*variable];
            if alive(variable) && !variables.contains(&variable) {
                variables.push(variable);
            }
        }
        vectors.push(variables);
    }
    vectors.sort_by_key(|variables| std::cmp::Reverse(variables.len()));
    for variables in vectors {
        let open: Vec<VariableId> =
            variables.into_iter().filter(|variable| places[*variable].is_none()).collect();
        if open.is_empty() {
            continue;
        }
        let free = |register: &[Vec<VariableId>; 4], channel: usize, variable: VariableId| {
            register[channel].iter().all(|other| !interfere(live, &definitions, variable, *other))
        };
        let channels: &[usize] = if open.len() == 1 { &[3, 0, 1, 2] } else { &[0, 1, 2, 3] };
        let fit = |register: &[Vec<VariableId>; 4]| {
            let mut taken: Vec<usize> = Vec::new();
            for variable in &open {
                let channel = channels.iter().copied().find(|channel| {
                    !taken.contains(channel) && free(register, *channel, *variable)
                })?;
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
            let blocks = flow.blocks.iter().zip(&placement.assignments);
            let origins = blocks.flat_map(|(block, assignments)| {
                let own = assignments.iter().filter(|(variable, _)| open.contains(variable));
                own.map(|(_, value)| match graph.origin_of(*value) {
                    0 => block.origin,
                    origin => origin,
                })
            });
            let last = origins.max();
            placement.crowded = last.unwrap_or(0);
        }
        if n >= TEMPORARIES {
            return Err(placement.crowded);
        }
        for (variable, channel) in open.into_iter().zip(taken) {
            held[n][channel].push(variable);
            places[variable] = Some((n as u8, channel as u8));
        }
    }
    placement.registers = held.len();
    placement.places = places.into_iter().map(Option::unwrap_or_default).collect();
    Ok(())
}
