//! Reads and writes of an instruction, defined once: the verifier, the engines and all tools ask
//! this module or the facts of [`codes`](super::codes) that it combines.

use super::channels;
use super::codes::*;
use super::instruction::*;
use super::usage::Usage;

/// The point whose register an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The point's own.
    Own,
    /// A point of its quad: 0 top-left, 1 top-right, 2 bottom-left.
    Quad(usize),
}

/// One channel of a source that a result depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Input A, B or C: 0 to 2. Of TEX, coordinate S, T, R or Q: 0 to 3.
    pub input: usize,
    /// The number of the source, 0 to 2: rgb0 to rgb2 for R, G and B, a0 to a2 for A. Of TEX, 0.
    pub number: usize,
    /// The address.
    pub source: Source,
    /// The register at the address; `None` for a constant.
    pub register: Option<Register>,
    /// The channel, 0 R to 3 A.
    pub channel: usize,
    /// The owner of the register: the point itself or one of its quad.
    pub whose: Whose,
    /// Whether it goes through the presubtract.
    pub presubtract: bool,
}

/// The destination of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// The channel of a register.
    Register(Register),
    /// The channel of a held output.
    Output(usize),
    /// Memory, by an uncached write: the value if the channel is R, else its place.
    Uncached,
    /// The predicate of the channel.
    Predicate,
    /// The ALU result.
    AluResult,
    /// The point's own conditional value.
    Own,
}

/// One channel of a result that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The destination.
    pub to: To,
    /// The channel of the result, 0 R to 3 A; that of the destination is the same.
    pub channel: usize,
    /// The predicate bit that gates it. An uncached write needs those of all its channels.
    pub gate: Option<usize>,
}

/// The reads and writes of an instruction. FC reads only a predicate and the ALU result: see
/// [`Instruction::predicates_read`] and [`Instruction::jump_reads`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The inputs of each channel's result: for ALU and OUT, inputs A, B, C in this order, the lanes
    /// R to A in each; for TEX, coordinates S to Q for all channels. Empty for a channel whose
    /// result has no effect.
    pub reads: [Vec<Read>; 4],
    /// The writes. Gated ones come before those of predicates: a gate has its old value. Empty for
    /// TEXKILL, which may end points, and for FC.
    pub writes: Vec<Write>,
}

impl Access {
    /// The reads and writes of an instruction of a program. `umrt`: OUT instructions make uncached
    /// writes.
    pub fn of(instruction: &Instruction, umrt: bool) -> Access {
        let mut access = Access::default();
        reads(instruction, &mut |channel, read| access.reads[channel].push(read));
        writes(instruction, umrt, &mut |write| access.writes.push(write));
        access
    }

    /// Whether it reads registers of other points.
    pub fn of_neighbours(&self) -> bool {
        self.reads.iter().flatten().any(|read| read.whose != Whose::Own)
    }
}

/// Calls `each` with the reads of an instruction, in the order of [`Access::reads`]: the channel of the result, and
/// what it reads.
#[inline]
pub fn reads(instruction: &Instruction, each: &mut impl FnMut(usize, Read)) {
    match &instruction.body {
        Body::Alu(alu) => {
            for channel in channels(instruction.results()) {
                operands(instruction, alu, channel, &mut |read| each(channel, read));
            }
        }
        Body::Tex(tex) => {
            let source = Source { addr: tex.src.addr, constant: false, relative: tex.src.relative };
            for channel in 0..4 {
                for input in channels(tex.op.coordinates()) {
                    each(
                        channel,
                        Read {
                            input,
                            number: 0,
                            source,
                            register: Some(Register::Temp(source.addr, source.relative)),
                            channel: tex.src.swizzle[input].code() as usize,
                            whose: Whose::Own,
                            presubtract: false,
                        },
                    );
                }
            }
        }
        Body::Fc(_) => {}
    }
}

/// Calls `each` with the writes of an instruction, in the order of [`Access::writes`]. `umrt` as for [`Access::of`].
#[inline]
pub fn writes(instruction: &Instruction, umrt: bool, each: &mut impl FnMut(Write)) {
    let common = &instruction.common;
    let gates = common.gates();
    let mut add = Writes { gates, each };
    let alu = match &instruction.body {
        Body::Alu(alu) => alu,
        Body::Tex(tex) => {
            let written = if tex.op.fetches() { common.wmask } else { 0 };
            let to = To::Register(Register::Temp(tex.dest, tex.dest_rel));
            return add.to(written, true, |_| to);
        }
        Body::Fc(_) => return,
    };
    add.to(common.wmask, true, |channel| {
        let unit = alu.unit_of(channel);
        To::Register(instruction.register(unit.dest, unit.dest_rel))
    });
    match common.class {
        Type::Out if !umrt => {
            let target = |channel| To::Output(alu.unit_of(channel).target as usize & 3);
            add.to(common.omask, true, target);
        }
        Type::Out if common.omask == 15 => add.to(15, true, |_| To::Uncached),
        Type::Alu | Type::Out | Type::Tex | Type::Fc => {}
    }
    if alu.w_omask {
        add.to(8, true, |_| To::Own);
    }
    if common.class == Type::Alu {
        // The write of a predicate is not gated by predicates [G 31].
        add.to(common.omask, false, |_| To::Predicate);
    }
    if alu.alu_wmask {
        add.to(1 << common.alu_result_sel.channel(), false, |_| To::AluResult);
    }
}

/// Where [`writes`] go, and the predicate bits of their channels.
struct Writes<'a, F> {
    gates: [Option<usize>; 4],
    each: &'a mut F,
}

impl<F: FnMut(Write)> Writes<'_, F> {
    #[inline]
    fn to(&mut self, mask: u8, gated: bool, to: impl Fn(usize) -> To) {
        for channel in channels(mask) {
            let gate = self.gates[channel].filter(|_| gated);
            (self.each)(Write { to: to(channel), channel, gate });
        }
    }
}

/// The channels of its sources that an ALU or OUT instruction reads: bit 0 R to bit 3 A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SourcesRead {
    /// Channels of sources 0 to 2: R, G, B of rgb0 to rgb2, A of a0 to a2.
    pub sources: [u8; 3],
    /// Channels of the presubtract results.
    pub srcp: u8,
}

impl SourcesRead {
    /// The sources that an instruction reads, including those of presubtracts, MDH and MDV; none
    /// for TEX and FC.
    pub fn of(instruction: &Instruction) -> SourcesRead {
        let usage = Usage::of(instruction);
        instruction
            .alu()
            .zip(usage)
            .map_or(SourcesRead::default(), |(alu, usage)| SourcesRead::by(alu, &usage))
    }

    /// The sources that an ALU or OUT instruction of this usage reads.
    pub fn by(alu: &Alu, usage: &Usage) -> SourcesRead {
        let mut read = SourcesRead { sources: [usage.neighbours, 0, 0], srcp: 0 };
        for (input, lanes) in usage.inputs.into_iter().enumerate() {
            for (unit, mask) in alu.units.iter().zip(UNIT_MASKS) {
                let Input { sel, swizzle, .. } = &unit.inputs[input];
                // The alpha unit has one lane.
                let chosen = channels(lanes & mask).filter_map(|lane| swizzle[lane % 3].channel());
                let chosen = chosen.fold(0, |chosen, channel| chosen | 1 << channel);
                match sel.source() {
                    Some(n) => read.sources[n] |= chosen,
                    None => read.srcp |= chosen,
                }
            }
        }
        for (unit, mask) in alu.units.iter().zip(UNIT_MASKS) {
            let sources = &mut read.sources[..unit.presub.sources()];
            sources.iter_mut().for_each(|source| *source |= read.srcp & mask);
        }
        read
    }

    /// Whether a unit, [`RGB`] or [`ALPHA`], reads its source n.
    pub fn reads(&self, unit: usize, n: usize) -> bool {
        self.sources[n] & UNIT_MASKS[unit] != 0
    }
}

impl Instruction {
    /// The channels of an ALU or OUT instruction whose results have an effect, bit 0 R to bit 3 A;
    /// 0 for TEX and FC.
    pub fn results(&self) -> u8 {
        let common = &self.common;
        self.alu().map_or(0, |alu| {
            let compared = (alu.alu_wmask as u8) << common.alu_result_sel.channel();
            common.wmask | common.omask | (alu.w_omask as u8) << 3 | compared
        })
    }
}

/// Calls `each` with the reads that the result of a channel depends on.
fn operands(instruction: &Instruction, alu: &Alu, channel: usize, each: &mut impl FnMut(Read)) {
    let (op, channel) = alu.computed(channel);
    let unit = alu.unit_of(channel);
    // MDH and MDV: inputs A and C are source 0 of two points of the quad.
    let neighbour = |input, quad| Read {
        input,
        number: 0,
        source: unit.sources[0],
        register: instruction.source_register(unit.sources[0]),
        channel,
        whose: Whose::Quad(quad),
        presubtract: false,
    };
    if op.is_neighbour() {
        each(neighbour(0, 0));
    }
    for (input, lanes) in op.lanes(1 << channel).into_iter().enumerate() {
        channels(lanes).for_each(|lane| input_reads(instruction, alu, (input, lane), each));
    }
    if op.is_neighbour() {
        each(neighbour(2, if op == AluOp::Mdh { 1 } else { 2 }));
    }
}

/// Calls `each` with the reads of one lane of an input: none, a source's channel, or one or two through the
/// presubtract.
fn input_reads(
    instruction: &Instruction,
    alu: &Alu,
    (input, lane): (usize, usize),
    each: &mut impl FnMut(Read),
) {
    let (sel, swizzle, _) = alu.lane(input, lane);
    let Some(channel) = swizzle.channel() else { return };
    let unit = alu.unit_of(channel);
    let numbers = sel.source().map_or(0..unit.presub.sources(), |n| n..n + 1);
    for number in numbers {
        each(Read {
            input,
            number,
            source: unit.sources[number],
            register: instruction.source_register(unit.sources[number]),
            channel,
            whose: Whose::Own,
            presubtract: sel == Sel::Srcp,
        });
    }
}
