//! Rematerialization: what one operation makes of numbers that are there all the time is made again for each reader.
//! It then holds no register in between.

use crate::code::{Atom, Code, Constant, Group, Operand, Operation, Value, ValueId};
use crate::flow::BlockId;
use rustc_hash::FxHashMap;

/// A reader of a value: an operation, or those that make the members of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Reader {
    Operation(usize),
    Group(BlockId, usize),
}

/// Whether an operation can be done anywhere: it reads only constants and varyings, and nothing asks for its place.
fn is_cheap(operation: &Operation, code: &Code) -> bool {
    let always = |atom| match atom {
        Atom::Constant(Constant::Literal(_) | Constant::Uniform(_) | Constant::Register(..)) => {
            true
        }
        Atom::Constant(Constant::Array(_)) => false,
        Atom::Value(value) => code.values[value].input.is_some(),
    };
    let free = |value: ValueId| {
        let Value { group, fixed, .. } = code.values[value];
        fixed.is_none() && group.is_none_or(|(group, _)| !code.groups[group].strict)
    };
    operation.is_arithmetic()
        && operation.out.is_none()
        && !operation.test
        && operation.after.is_empty()
        && operation.result().is_some_and(free)
        && operation.operands.iter().flat_map(Operand::atoms).all(always)
}

/// Makes such values again for each reader that computes.
pub fn rematerialize(code: &mut Code) {
    code.rematerialized = true;
    let old = std::mem::take(&mut code.operations);
    let values = code.values.len();
    let mut again: FxHashMap<(ValueId, Reader), ValueId> = FxHashMap::default();
    let mut groups: FxHashMap<(usize, Reader), usize> = FxHashMap::default();
    // The new indices of the operations.
    let mut moved = Vec::with_capacity(old.len());
    for (n, operation) in old.iter().enumerate() {
        let mut operation = operation.clone();
        let group = operation.result().and_then(|value| code.values[value].group);
        let reader =
            group.map_or(Reader::Operation(n), |(group, _)| Reader::Group(operation.block, group));
        let reads = if operation.is_arithmetic() { &mut operation.operands[..] } else { &mut [] };
        for atom in reads.iter_mut().flat_map(Operand::atoms_mut) {
            let Atom::Value(value) = *atom else { continue };
            let made = code.values[value].made.and_then(|made| old.get(made));
            let Some(made) = made.filter(|made| is_cheap(made, code)) else { continue };
            let next = code.values.len();
            let fresh = *again.entry((value, reader)).or_insert(next);
            if fresh == next {
                // Members of a vector stay together.
                let group = code.values[value].group.map(|(group, place)| {
                    let fresh = *groups.entry((group, reader)).or_insert(code.groups.len());
                    if fresh == code.groups.len() {
                        code.groups.push(Group::default());
                    }
                    code.groups[fresh].members += 1;
                    (fresh, place)
                });
                let made_at = Some(code.operations.len());
                code.values.push(Value { made: made_at, group, ..Value::default() });
                let (results, block) = (vec![Some(fresh)], operation.block);
                code.operations.push(Operation { results, block, ..made.clone() });
            }
            *atom = Atom::Value(fresh);
        }
        moved.push(code.operations.len());
        code.operations.push(operation);
    }
    for n in &moved {
        for before in &mut code.operations[*n].after {
            *before = moved[*before];
        }
    }
    for value in &mut code.values[..values] {
        value.made = value.made.map(|made| moved[made]);
    }
}
