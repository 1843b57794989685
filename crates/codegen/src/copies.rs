//! Inserts the copies that put values and conditions into their variables, or lets the defining operation write there.
//!
//! The old value of a variable must be read before it is overwritten. The copies of a block are parallel: one
//! more breaks each cycle.

use crate::code::{self, Atom, Code, Operand, Operation, Source, Value, ValueId};
use crate::flow::{BlockId, VariableId};
use crate::ir::Ir;
use crate::placement::Placement;
use rustc_hash::{FxHashMap, FxHashSet};

/// A value that a block needs at its end.
pub struct LiveOut {
    /// The block.
    pub block: BlockId,
    /// The value.
    pub operand: Operand,
    /// The variable that takes it; `None` for the block's condition.
    pub variable: Option<VariableId>,
    /// Offset of the source of the store, or of the end.
    pub origin: u32,
    /// Offset of the source of the store to the variable, if it is known, or of the branch; else 0.
    pub stored: u32,
}

/// Gives each variable and each condition its operation, or a copy.
pub fn insert(ir: &Ir, code: &mut Code, placement: &Placement, live_outs: &[LiveOut]) {
    let bits = ir.graph.keeps_bits();
    if live_outs.is_empty() {
        return;
    }
    let mut readers: FxHashMap<ValueId, Vec<usize>> = FxHashMap::default();
    for (n, operation) in code.operations.iter().enumerate() {
        for value in operation.reads() {
            readers.entry(value).or_default().push(n);
        }
    }
    // The uses of each value at ends of blocks.
    let mut ends: FxHashMap<ValueId, Vec<&LiveOut>> = FxHashMap::default();
    for live_out in live_outs {
        for atom in live_out.operand.atoms() {
            if let Atom::Value(value) = atom {
                ends.entry(value).or_default().push(live_out);
            }
        }
    }
    // The values that are computed in the register of their variable.
    let mut settled: FxHashSet<ValueId> = FxHashSet::default();
    let mut writers: Vec<(usize, VariableId)> = Vec::new();
    for live_out in live_outs {
        let plain = match live_out.operand {
            Operand { source: Source::Atom(Atom::Value(value)), neg: false, abs: false } => {
                Some(value)
            }
            _ => None,
        };
        let free = |code: &Code, value: ValueId| {
            let made = code.values[value].made?;
            let operation = &code.operations[made];
            let strict =
                code.values[value].group.is_some_and(|(group, _)| code.groups[group].strict);
            let fits = operation.block == live_out.block
                && operation.is_arithmetic()
                && operation.out.is_none()
                && !strict;
            fits.then_some(made)
        };
        let Some(variable) = live_out.variable else {
            let made = plain.and_then(|value| {
                let fixed = code.values[value].fixed;
                free(code, value).filter(|_| fixed.is_none_or(|(_, channel)| channel % 3 == 0))
            });
            let made = made.unwrap_or_else(|| copy(code, live_out, bits));
            code.operations[made].test = true;
            code.operations[made].stored = live_out.stored;
            continue;
        };
        if let Some(value) = plain {
            let stays = |reader: &usize| {
                let at = code.operations[*reader].block;
                at == live_out.block
                    || placement.alive[variable][at]
                        && !placement.changed(variable, live_out.block, at)
            };
            let others = ends[&value].iter().any(|other| {
                let same = || {
                    other.variable == Some(variable)
                        && !placement.changed(variable, live_out.block, other.block)
                };
                other.block != live_out.block && !same()
            });
            let safe =
                readers.get(&value).is_none_or(|readers| readers.iter().all(stays)) && !others;
            if let Some(made) = free(code, value).filter(|_| safe && !settled.contains(&value)) {
                leave_group(code, value);
                code.values[value].fixed = Some(placement.places[variable]);
                code.operations[made].stored = live_out.stored;
                settled.insert(value);
                writers.push((made, variable));
                continue;
            }
        }
        let made = copy(code, live_out, bits);
        if let Some(value) = code.operations[made].result() {
            code.values[value].fixed = Some(placement.places[variable]);
        }
        writers.push((made, variable));
    }
    order(code, &writers, placement, bits);
}

/// The value of a variable is in no group.
fn leave_group(code: &mut Code, value: ValueId) {
    if let Some((group, _)) = code.values[value].group.take() {
        code.groups[group].members -= 1;
    }
}

/// A copy of a value that a block needs at its end.
fn copy(code: &mut Code, live_out: &LiveOut, bits: bool) -> usize {
    push(code, live_out.operand, live_out.block, live_out.origin, bits)
}

fn push(code: &mut Code, operand: Operand, block: BlockId, origin: u32, bits: bool) -> usize {
    let value = code.values.len();
    let made = code.operations.len();
    code.values.push(Value { made: Some(made), ..Value::default() });
    let (does, operands, omod) = code::copy(operand, bits);
    let operation = Operation::new(does, operands, vec![Some(value)], block);
    code.operations.push(Operation { origin, omod, ..operation });
    made
}

/// Orders the readers of a variable's old value before the operations that overwrite it.
fn order(code: &mut Code, writers: &[(usize, VariableId)], placement: &Placement, bits: bool) {
    let mut blocks: FxHashMap<BlockId, Vec<usize>> = FxHashMap::default();
    for (n, operation) in code.operations.iter().enumerate() {
        blocks.entry(operation.block).or_default().push(n);
    }
    for (writer, variable) in writers {
        let mut writer = *writer;
        let block = code.operations[writer].block;
        let place = placement.places[*variable];
        let Some(result) = code.operations[writer].result() else { continue };
        let mut users: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut readers: Vec<usize> = Vec::new();
        for n in blocks[&block].iter().copied() {
            for value in code.operations[n].reads() {
                if let Some(made) = code.values[value].made {
                    users.entry(made).or_default().push(n);
                }
                if value != result && code.values[value].fixed == Some(place) && n != writer {
                    readers.push(n);
                }
            }
            for before in &code.operations[n].after {
                users.entry(*before).or_default().push(n);
            }
        }
        // Does a reader wait for the writer?
        let mut reached: FxHashSet<usize> = FxHashSet::default();
        let mut open = vec![writer];
        while let Some(n) = open.pop() {
            for user in users.get(&n).into_iter().flatten() {
                if reached.insert(*user) {
                    open.push(*user);
                }
            }
        }
        if readers.iter().any(|reader| reached.contains(reader)) {
            code.values[result].fixed = None;
            let source = Source::Atom(Atom::Value(result));
            let operand = Operand { source, neg: false, abs: false };
            let origin = code.operations[writer].origin;
            writer = push(code, operand, block, origin, bits);
            blocks.entry(block).or_default().push(writer);
            if let Some(value) = code.operations[writer].result() {
                code.values[value].fixed = Some(place);
            }
            // The operation itself may read the variable.
            if let Some(made) = code.values[result].made
                && code.operations[made]
                    .reads()
                    .any(|value| code.values[value].fixed == Some(place))
            {
                readers.push(made);
            }
        }
        readers.sort_unstable();
        readers.dedup();
        code.operations[writer].after.extend(readers);
    }
}
