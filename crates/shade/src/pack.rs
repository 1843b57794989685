//! Packing: operations on rows become micro-operations of up to four lanes, for the interpreter.
//!
//! A *micro-operation* computes up to four lanes: channels of one destination register, each from any
//! channel of one register per operand. Operations of one instruction share a micro-operation if they
//! do the same and each operand reads channels of one register. An operation moves ahead of others
//! only where neither reads or writes what the other writes.

use ctm_isa::isa::TEMPORARIES;
use ctm_isa::ops::{Calc, Effect, Op};
use ctm_machine::lower::{
    ALU_RESULT, FetchBits, Lowered, OWN_VALUE, Operand, RowOp, Uniform, Write,
};

mod print;

#[cfg(test)]
mod tests;

pub use print::print;

/// An operand of a micro-operation: for each lane a channel of one register, with modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector {
    /// Rows, or uniforms, 4 n to 4 n + 3.
    pub register: u16,
    /// Whether it is a register of uniforms.
    pub uniform: bool,
    /// The channel that each lane reads.
    pub channels: [u8; 4],
    /// Bit n: lane n takes the absolute value.
    pub abs: u8,
    /// Bit n: lane n is negated, after that.
    pub neg: u8,
    /// Bit n: lane n is flushed, after that.
    pub flush: u8,
}

impl Vector {
    /// A register without modifiers.
    pub const fn plain(register: u16) -> Vector {
        Vector { register, uniform: false, channels: [0, 1, 2, 3], abs: 0, neg: 0, flush: 0 }
    }

    /// The operand of a lane.
    pub fn lane(&self, lane: usize) -> Operand {
        let bit = |mask: u8, bit: u32| if mask >> lane & 1 != 0 { bit } else { 0 };
        let index = 4 * self.register as u32 + self.channels[lane] as u32;
        Operand(
            index
                | if self.uniform { Operand::UNIFORM } else { 0 }
                | bit(self.abs, Operand::ABS)
                | bit(self.neg, Operand::NEG)
                | bit(self.flush, Operand::FLUSH),
        )
    }
}

/// One micro-operation. It reads all its operands before it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MicroOp {
    /// The operation.
    pub op: Op,
    /// The points for which it writes.
    pub write: Write,
    /// Slot of its instruction.
    pub pc: u16,
    /// As in [`RowOp`], without the channel.
    pub aux: u16,
    /// The lanes that it computes, bit n for lane n.
    pub mask: u8,
    /// The register that it writes.
    pub dst: u16,
    /// The operands a, b, c. If the operation is [across](Op::is_across) lanes, a has all of them in
    /// its lanes. A [`Op::Fetch`] writes channel n of the texel to the lanes where b has n.
    pub operands: [Option<Vector>; 3],
}

/// A lowered program in micro-operations of up to four lanes.
pub struct Packed {
    /// The micro-operations, in the order of the slots.
    pub ops: Vec<MicroOp>,
    /// The first micro-operation of each slot.
    pub entry: Vec<u32>,
    /// Uniforms in registers of four.
    pub uniforms: Vec<Uniform>,
    /// The number of rows.
    pub rows: u32,
}

/// A micro-operation whose uniforms have no registers yet.
#[derive(Clone, Copy)]
struct Wide {
    op: Op,
    write: Write,
    pc: u16,
    aux: u16,
    mask: u8,
    dst: u32,
    /// Operands a, b, c; the rows and uniforms that each lane reads.
    operands: [[Operand; 4]; 3],
}

const NO_OPERANDS: [Operand; 4] = [Operand::NONE; 4];

/// Packs a program.
pub fn pack(lowered: &Lowered) -> Packed {
    let rows = lowered.rows;
    let mut packer = Packer { wide: Vec::new(), rows, end: rows, next: rows, first: 0 };
    let mut starts = lowered.entry.clone();
    starts.sort_unstable();
    starts.dedup();
    // The first micro-operation for each of `starts`.
    let mut firsts = Vec::with_capacity(starts.len());
    for (n, &start) in starts.iter().enumerate() {
        packer.first = packer.wide.len();
        packer.next = packer.rows;
        let end = starts.get(n + 1).map_or(lowered.ops.len(), |&end| end as usize);
        lowered.ops[start as usize..end].iter().for_each(|op| packer.add(op));
        packer.fetch_in_place();
        firsts.push(packer.first as u32);
    }
    let mut first_of = vec![0; lowered.ops.len() + 1];
    starts.iter().zip(firsts).for_each(|(&start, first)| first_of[start as usize] = first);
    let entry = lowered.entry.iter().map(|&start| first_of[start as usize]).collect();
    let mut file = File::default();
    let ops = packer.wide.iter().map(|wide| wide.resolved(&mut file)).collect();
    let uniform = |n: &Option<u32>| n.map_or(Uniform::literal(0), |n| lowered.uniforms[n as usize]);
    let uniforms = file.0.iter().flatten().map(uniform).collect();
    Packed { ops, entry, uniforms, rows: packer.end }
}

struct Packer {
    wide: Vec<Wide>,
    /// The number of rows that operations had before, and with those added here.
    rows: u32,
    end: u32,
    /// The next row that this instruction may add.
    next: u32,
    /// The first micro-operation of this instruction.
    first: usize,
}

impl Packer {
    fn add(&mut self, op: &RowOp) {
        let mut one = Wide::of(op);
        if one.op.is_across() && !one.operands[0].iter().all(|&o| fits(&one.operands[0], o)) {
            one.operands[0] = self.gathered(&one);
        }
        self.place(one);
    }

    /// Appends an operation, or joins it with an earlier one of its instruction.
    fn place(&mut self, one: Wide) {
        for wide in self.wide[self.first..].iter_mut().rev() {
            if wide.joins(&one) {
                return;
            }
            if wide.is_fixed() || one.is_fixed() || wide.conflicts(&one) {
                break;
            }
        }
        self.wide.push(one);
    }

    /// Copies operands of several registers to one register.
    fn gathered(&mut self, across: &Wide) -> [Operand; 4] {
        let register = self.next;
        self.next += 4;
        self.end = self.end.max(self.next);
        let mut gathered = NO_OPERANDS;
        for (lane, &operand) in across.operands[0].iter().enumerate() {
            if operand.is_none() {
                continue;
            }
            let dst = register + lane as u32;
            gathered[lane] = Operand::row(dst);
            let mut operands = [NO_OPERANDS; 3];
            operands[0][lane] = operand;
            self.place(Wide {
                op: Op::Calc(Calc::Mov),
                write: Write::All,
                aux: 0,
                mask: 1 << lane,
                dst: register,
                operands,
                ..*across
            });
        }
        gathered
    }

    /// Lets the instruction's fetch write where one move copies its texel.
    fn fetch_in_place(&mut self) {
        let ops = &mut self.wide[self.first..];
        let Some(at) = ops.iter().position(|op| op.op == Op::Fetch) else { return };
        let fetch = ops[at];
        let (gates, rest) = ops[at + 1..].split_at(
            ops[at + 1..].iter().position(|op| op.op != Op::Gate).unwrap_or(ops.len() - at - 1),
        );
        let [copy] = rest else { return };
        let texel = |operand: Operand| operand.is_none() || operand.0 & !3 == fetch.dst;
        if copy.op != Op::Calc(Calc::Mov) || !copy.operands[0].iter().all(|&o| texel(o)) {
            return;
        }
        let gates = gates.to_vec();
        let (write, mask, dst) = (copy.write, copy.mask, copy.dst);
        let operands = [fetch.operands[0], copy.operands[0], NO_OPERANDS];
        self.wide.truncate(self.first + at);
        self.wide.extend(gates);
        self.wide.push(Wide { write, mask, dst, operands, ..fetch });
    }
}

/// Whether an operand can share a [`Vector`] with others.
fn fits(others: &[Operand; 4], operand: Operand) -> bool {
    let register = |operand: Operand| (operand.is_uniform(), operand.index() / 4);
    let same = |other: &Operand| {
        if operand.is_uniform() {
            other.is_uniform()
        } else {
            register(*other) == register(operand)
        }
    };
    operand.is_none() || others.iter().filter(|other| !other.is_none()).all(same)
}

impl Wide {
    fn of(op: &RowOp) -> Wide {
        let facts = op.op.facts();
        let (mut lane, mut aux, mut mask) = (op.dst as usize & 3, op.aux, None);
        let mut operands = [NO_OPERANDS; 3];
        match facts.effect {
            Effect::Bit if aux & 7 == ALU_RESULT => lane = 0,
            Effect::Bit => (lane, aux) = (usize::from(aux & 7), aux & !7),
            Effect::Held if aux != OWN_VALUE => aux &= !3,
            Effect::Temporary => (lane, aux) = (usize::from(aux & 3), aux >> 2),
            Effect::Texel => {
                mask = Some((aux >> FetchBits::CHANNELS_SHIFT) as u8 & 15);
                aux &= !(15 << FetchBits::CHANNELS_SHIFT);
                operands[1] = std::array::from_fn(|n| Operand::row(op.dst + n as u32));
            }
            Effect::Row if matches!(op.op, Op::LoadTemp | Op::LoadConstant) => {
                operands[0][lane] = Operand::row(u32::from(aux & 3));
                aux >>= 2;
            }
            Effect::Kill | Effect::Memory => mask = Some(15),
            Effect::Gate | Effect::Flow | Effect::End => mask = Some(0),
            Effect::Row | Effect::Held => {}
        }
        if op.op.is_across() {
            operands[0] = op.operands;
        } else {
            for (n, operand) in op.read().enumerate() {
                operands[n][lane] = operand;
            }
        }
        let dst = if facts.effect.rows() != 0 { op.dst & !3 } else { 0 };
        let mask = mask.unwrap_or(1 << lane);
        Wide { op: op.op, write: op.write, pc: op.pc, aux, mask, dst, operands }
    }

    /// Whether other operations stay where they are relative to it.
    fn is_fixed(&self) -> bool {
        !matches!(self.op.facts().effect, Effect::Row | Effect::Held)
    }

    fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..4).filter(move |lane| mask >> lane & 1 != 0)
    }

    /// Whether a lane reads a row.
    fn reads(&self, lane: usize, row: u32) -> bool {
        if self.op == Op::LoadTemp {
            // Any temporary. With relative addressing these are the first rows.
            return row < 4 * TEMPORARIES as u32;
        }
        let across = self.op.is_across();
        let lanes = if across { 0..4 } else { lane..lane + 1 };
        self.operands.iter().any(|operand| operand[lanes.clone()].iter().any(|o| o.is_row(row)))
    }

    fn writes(&self) -> impl Iterator<Item = u32> + use<> {
        let (dst, writes) = (self.dst, self.op.writes_row());
        self.lanes().filter(move |_| writes).map(move |lane| dst + lane as u32)
    }

    /// Whether the order of the two matters.
    fn conflicts(&self, other: &Wide) -> bool {
        let reads = |op: &Wide, row| op.lanes().any(|lane| op.reads(lane, row));
        self.writes().any(|row| reads(other, row) || other.writes().any(|also| also == row))
            || other.writes().any(|row| reads(self, row))
    }

    /// Takes over the lane of an operation that follows, if it can.
    fn joins(&mut self, one: &Wide) -> bool {
        let key = |op: &Wide| (op.op, op.write, op.aux, op.dst);
        let can = key(self) == key(one)
            && self.mask & one.mask == 0
            && !self.op.is_across()
            && self.mask != 0
            && (0..3).all(|n| one.operands[n].iter().all(|&o| fits(&self.operands[n], o)))
            // No lane reads what a lane before it writes.
            && !self.writes().any(|row| one.lanes().any(|lane| one.reads(lane, row)))
            && !one.writes().any(|row| {
                self.lanes().any(|lane| lane as u32 > row & 3 && self.reads(lane, row))
            });
        if can {
            self.mask |= one.mask;
            for (mine, new) in self.operands.iter_mut().zip(one.operands) {
                one.lanes().for_each(|lane| mine[lane] = new[lane]);
            }
        }
        can
    }

    fn resolved(&self, file: &mut File) -> MicroOp {
        let &Wide { op, write, pc, aux, mask, dst, ref operands } = self;
        let operands = operands.each_ref().map(|operand| file.vector(operand));
        MicroOp { op, write, pc, aux, mask, dst: (dst / 4) as u16, operands }
    }
}

/// The registers of uniforms: the number of each channel's uniform.
#[derive(Default)]
struct File(Vec<[Option<u32>; 4]>);

impl File {
    /// A register that has all the uniforms of an operand. One with room is filled up.
    fn register(&mut self, operand: &[Operand; 4]) -> usize {
        // In ascending order, each once.
        let mut wanted = operand.map(|o| (!o.is_none()).then(|| o.index()));
        wanted.sort_unstable();
        for n in (1..wanted.len()).rev() {
            wanted[n] = wanted[n].filter(|_| wanted[n] != wanted[n - 1]);
        }
        let missing = |register: &[Option<u32>; 4]| {
            wanted.iter().filter(|n| n.is_some() && !register.contains(n)).count()
        };
        let room = |register: &[Option<u32>; 4]| register.iter().filter(|n| n.is_none()).count();
        let registers = self.0.iter().enumerate();
        let fitting = registers.filter_map(|(n, register)| {
            let missing = missing(register);
            (missing <= room(register)).then_some((missing, n))
        });
        // The first of those with the fewest missing.
        let best = fitting.min().map(|(_, n)| n);
        let best = best.unwrap_or_else(|| {
            self.0.push([None; 4]);
            self.0.len() - 1
        });
        for n in wanted.into_iter().flatten() {
            if !self.0[best].contains(&Some(n))
                && let Some(free) = self.0[best].iter_mut().find(|place| place.is_none())
            {
                *free = Some(n);
            }
        }
        best
    }

    fn vector(&mut self, operand: &[Operand; 4]) -> Option<Vector> {
        let some = *operand.iter().find(|operand| !operand.is_none())?;
        let uniform = some.is_uniform();
        let register = if uniform { self.register(operand) } else { some.index() as usize / 4 };
        let mut vector = Vector { uniform, ..Vector::plain(register as u16) };
        for (lane, operand) in operand.iter().enumerate().filter(|(_, o)| !o.is_none()) {
            vector.channels[lane] = (if uniform {
                self.0[register].iter().position(|&n| n == Some(operand.index()))
            } else {
                Some(operand.index() as usize & 3)
            })
            .unwrap_or(0) as u8;
            vector.abs |= u8::from(operand.has(Operand::ABS)) << lane;
            vector.neg |= u8::from(operand.has(Operand::NEG)) << lane;
            vector.flush |= u8::from(operand.has(Operand::FLUSH)) << lane;
        }
        Some(vector)
    }
}

impl MicroOp {
    /// The lanes that it computes.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..4).filter(move |lane| mask >> lane & 1 != 0)
    }

    /// Whether it marks outputs whose values are already in their register.
    pub fn is_mark(&self) -> bool {
        let plain = |a: &Vector| {
            self.lanes()
                .all(|n| a.lane(n).is_row(4 * self.dst as u32 + n as u32) && a.lane(n).is_plain())
        };
        self.op == Op::Output && self.operands[0].as_ref().is_some_and(plain)
    }

    /// The number of lanes of operand a that it reads, if it is [across](Op::is_across) lanes.
    pub fn terms(&self) -> usize {
        match self.op {
            Op::Calc(calc) => calc.facts().operands,
            Op::Fetch if self.aux & FetchBits::PROJECT == 0 => 2,
            Op::Fetch => 3,
            Op::Kill | Op::Uncached => 4,
            Op::Quad | Op::LoadTemp | Op::LoadConstant | Op::StoreTemp | Op::Gate => 0,
            Op::SetBit | Op::Output | Op::Flow | Op::End | Op::Wrap | Op::Missing => 0,
        }
    }
}
