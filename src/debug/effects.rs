//! What an instruction reads and writes of one point.

use crate::engine::Checked;
use crate::engine::reference::{GroupState, channel_gate, gates};
use crate::isa::{
    ALPHA, Alu, AluOp, AluResultSel, Body, Common, FieldValue, Instruction, Presub, RGB, Register,
    Sel, SourceKind, TexOp, Type, Unit, Usage,
};
use crate::ops::Formula;

/// A channel that holds a value, of the point in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cell {
    /// Temporary and channel.
    Temp(usize, usize),
    /// Global register and channel. Other groups write it, too, so its past ends here.
    Global(i64, usize),
    /// Held output and channel.
    Held(usize, usize),
    /// The point's own conditional value.
    Condition,
    /// A predicate.
    Predicate(usize),
    /// The ALU result.
    AluResult,
    /// A float constant and channel. No instruction writes it.
    Constant(usize, usize),
    /// A channel of what the instruction fetches.
    Fetched(usize),
}

/// What writes a cell: the cells that the value comes from, each with its slot. `None` if the
/// instruction at the pc of `group` does not write it.
pub(super) fn sources(
    launch: &Checked<'_>,
    group: &GroupState,
    slot: usize,
    cell: Cell,
) -> Option<Vec<(usize, Cell)>> {
    let instruction = launch.program.instructions().get(group.pc() as usize)?;
    let common = &instruction.common;
    let active = group.active() >> slot & 1 != 0;
    let gate = channel_gate(common, group.predicates(slot));
    match &instruction.body {
        Body::Fc(_) => None,
        Body::Tex(tex) => {
            let takes_part = active || common.write_inactive;
            let covered = !tex.ignore_uncovered || group.covered() >> slot & 1 != 0;
            let bound = launch.inputs[tex.input as usize].is_some();
            let dest = group.temp_index(tex.dest, tex.dest_rel);
            let written = match cell {
                Cell::Temp(n, channel)
                    if tex.op.fetches()
                        && takes_part
                        && covered
                        && bound
                        && n == dest
                        && common.wmask & gate & 1 << channel != 0 =>
                {
                    channel
                }
                _ => return None,
            };
            let element = Cell::Fetched(tex.dest_swizzle[written].code() as usize);
            let mut cells = vec![(slot, element)];
            let source = group.temp_index(tex.src.addr, tex.src.relative);
            let lanes = if tex.op == TexOp::Proj { &[0, 1, 3][..] } else { &[0, 1] };
            let channel = |&n: &usize| tex.src.swizzle[n].code() as usize;
            cells.extend(lanes.iter().map(|n| (slot, Cell::Temp(source, channel(n)))));
            gate_of(&mut cells, slot, common, written);
            Some(cells)
        }
        Body::Alu(alu) => {
            if !active && !common.write_inactive {
                return None;
            }
            let lane = match cell {
                Cell::Temp(n, channel) => {
                    let unit = alu.unit_of(channel);
                    let Register::Temp(to, relative) =
                        instruction.register(unit.dest, unit.dest_rel)
                    else {
                        return None;
                    };
                    let dest = group.temp_index(to, relative);
                    (n == dest && common.wmask & gate & 1 << channel != 0).then_some(channel)?
                }
                Cell::Held(n, channel) => {
                    let writes = common.class == Type::Out && !launch.program.umrt();
                    let target = alu.unit_of(channel).target as usize & 3;
                    (writes && n == target && common.omask & gate & 1 << channel != 0)
                        .then_some(channel)?
                }
                Cell::Condition => (alu.w_omask && gate & 8 != 0).then_some(3)?,
                Cell::Predicate(channel) => (common.class == Type::Alu
                    && common.omask & 1 << channel != 0)
                    .then_some(channel)?,
                Cell::AluResult if alu.alu_wmask => match common.alu_result_sel {
                    AluResultSel::Red => 0,
                    AluResultSel::Alpha => 3,
                },
                Cell::AluResult | Cell::Constant(..) | Cell::Global(..) | Cell::Fetched(_) => {
                    return None;
                }
            };
            let mut cells = read(group, slot, instruction, alu, lane);
            if let Cell::Temp(..) | Cell::Held(..) | Cell::Condition = cell {
                gate_of(&mut cells, slot, common, lane);
            }
            Some(cells)
        }
    }
}

/// Adds the predicate that let a channel be written.
fn gate_of(cells: &mut Vec<(usize, Cell)>, slot: usize, common: &Common, channel: usize) {
    cells.extend(gates(common)[channel].map(|bit| (slot, Cell::Predicate(bit))));
}

/// The cells that the value of an uncached write comes from: the red of the OUT instruction at the
/// pc of `group`.
pub(super) fn written_by_sending(
    launch: &Checked<'_>,
    group: &GroupState,
    slot: usize,
) -> Vec<(usize, Cell)> {
    let Some(instruction) = launch.program.instructions().get(group.pc() as usize) else {
        return Vec::new();
    };
    let Body::Alu(alu) = &instruction.body else { return Vec::new() };
    let mut cells = read(group, slot, instruction, alu, 0);
    gate_of(&mut cells, slot, &instruction.common, 0);
    cells
}

/// The cells that an ALU instruction's result in a lane comes from.
fn read(
    group: &GroupState,
    slot: usize,
    instruction: &Instruction,
    alu: &Alu,
    lane: usize,
) -> Vec<(usize, Cell)> {
    let usage = Usage::of(instruction).unwrap_or_default();
    let mut cells = Vec::new();
    for (input, channel) in lanes(alu, &usage, lane) {
        let (sel, swizzle, _) = alu.lane(input, channel);
        let unit_op = alu.unit_of(channel).op;
        if unit_op.is_neighbour() && input != 1 {
            let [first, right, below] = group.quad(slot);
            let second = if unit_op == AluOp::Mdh { right } else { below };
            let point = if input == 0 { first } else { second };
            push(&mut cells, group, point, instruction, alu.unit_of(channel), 0, channel);
            continue;
        }
        let Some(channel) = swizzle.channel() else { continue };
        let unit = alu.unit_of(channel);
        if sel == Sel::Srcp {
            push(&mut cells, group, slot, instruction, unit, 0, channel);
            if matches!(unit.presub, Presub::Sub | Presub::Add) {
                push(&mut cells, group, slot, instruction, unit, 1, channel);
            }
        } else {
            let n = sel.code() as usize;
            push(&mut cells, group, slot, instruction, unit, n, channel);
        }
    }
    cells
}

/// The lanes (input, channel) that the result in a lane depends on.
fn lanes(alu: &Alu, usage: &Usage, lane: usize) -> Vec<(usize, usize)> {
    let formula = |unit: usize| Formula::of(alu.units[unit].op);
    let own = lane / 3;
    // SOP and DP deliver what the other unit computes.
    let (unit, lane) = match formula(own) {
        Formula::Other if own == RGB => (ALPHA, 3),
        Formula::Other => (RGB, 0),
        _ => (own, lane),
    };
    let read: [&[usize]; 3] = match formula(unit) {
        Formula::Dp3 => [&[0, 1, 2], &[0, 1, 2], &[]],
        Formula::Dp4 => [&[0, 1, 2, 3], &[0, 1, 2, 3], &[]],
        Formula::D2a => [&[0, 1], &[0, 1], &[2]],
        Formula::Neighbour(_) => return [0, 1, 2].map(|input| (input, lane)).to_vec(),
        Formula::Calc(_) => {
            let used = |input: &usize| usage.inputs[*input] >> lane & 1 != 0;
            return (0..3).filter(used).map(|input| (input, lane)).collect();
        }
        Formula::Other | Formula::Nothing => return Vec::new(),
    };
    (0..3).flat_map(|input| read[input].iter().map(move |&lane| (input, lane))).collect()
}

/// Adds a channel of a source.
fn push(
    cells: &mut Vec<(usize, Cell)>,
    group: &GroupState,
    point: usize,
    instruction: &Instruction,
    unit: &Unit,
    n: usize,
    channel: usize,
) {
    let source = unit.sources[n];
    let cell = match source.kind() {
        SourceKind::Temp(n) => match instruction.register(n, source.relative) {
            Register::Temp(n, relative) => Cell::Temp(group.temp_index(n, relative), channel),
            Register::Global(n, ar_x) => Cell::Global(group.global_index(point, n, ar_x), channel),
        },
        SourceKind::Constant(n) => {
            let offset = if source.relative { group.al() } else { 0 };
            Cell::Constant(i32::from(n).wrapping_add(offset) as usize & 255, channel)
        }
        SourceKind::Inline(_) => return,
    };
    if !cells.contains(&(point, cell)) {
        cells.push((point, cell));
    }
}
