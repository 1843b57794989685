//! What every instruction of a program reads, decoded once for all checks.

use crate::engine::groups::slots;
use crate::engine::reference::{GroupState, channel_gate, gates};
use crate::isa::{
    Alu, AluOp, AluResultSel, Body, Common, FcOp, Instruction, LETTERS, PredSel, Presub, RGB,
    Register, Sel, Source, TexOp, Type,
};
use crate::launch::Launch;
use crate::program::Program;

/// A register channel that a check follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Temporary, channel.
    Temp(u8, u8),
    /// Predicate bit.
    Predicate(u8),
    /// The ALU result.
    AluResult,
    /// Output, channel.
    Output(u8, u8),
    /// The point's own conditional value.
    Condition,
}

impl Place {
    /// The name of the register, without channels.
    pub fn register(self) -> String {
        match self {
            Place::Temp(n, _) => format!("r{n}"),
            Place::Predicate(_) => "p".to_string(),
            Place::AluResult => "alu_result".to_string(),
            Place::Output(n, _) => format!("o{n}"),
            Place::Condition => "the conditional value".to_string(),
        }
    }

    /// The channel, 0 R to 3 A; `None` for a register with one value.
    pub fn channel(self) -> Option<u8> {
        match self {
            Place::Temp(_, channel) | Place::Predicate(channel) | Place::Output(_, channel) => {
                Some(channel)
            }
            Place::AluResult | Place::Condition => None,
        }
    }

    /// The same register, with no or the first channel.
    pub fn whole(self) -> Place {
        match self {
            Place::Temp(n, _) => Place::Temp(n, 0),
            Place::Predicate(_) => Place::Predicate(0),
            Place::Output(n, _) => Place::Output(n, 0),
            Place::AluResult | Place::Condition => self,
        }
    }
}

/// The letters of a mask of channels.
pub fn letters(channels: u8) -> String {
    (0..4).filter(|n| channels >> n & 1 != 0).map(|n| LETTERS[n]).collect()
}

/// The point whose register an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The point's own.
    Own,
    /// A point of its quad: 0 top-left, 1 top-right, 2 bottom-left.
    Quad(usize),
}

/// One register channel that one lane of an operation reads.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// Input A, B or C: 0 to 2.
    pub input: usize,
    /// The address.
    pub source: Source,
    /// The register at the address; `None` for a constant.
    pub register: Option<Register>,
    /// The channel, 0 R to 3 A.
    pub channel: u8,
    /// Whose register it is.
    pub whose: Whose,
    /// Whether it goes through the presubtract.
    pub presubtract: bool,
}

/// What an ALU or OUT instruction reads.
#[derive(Clone, Debug)]
pub struct AluReads {
    /// The channels whose results have an effect, bit 0 R to bit 3 A.
    pub results: u8,
    /// Those of them that have one whatever the predicates are: predicates and the ALU result.
    always: u8,
    /// An uncached write happens only if the predicates enable all channels.
    uncached: bool,
    /// What each of these channels reads: inputs A, B, C in this order, lanes R to A in each.
    pub lanes: [Vec<Read>; 4],
}

impl AluReads {
    fn of(instruction: &Instruction, alu: &Alu, umrt: bool) -> AluReads {
        let common = &instruction.common;
        let compared = match common.alu_result_sel {
            AluResultSel::Red => 1,
            AluResultSel::Alpha => 8,
        };
        let compared = if alu.alu_wmask { compared } else { 0 };
        let predicates = if common.class == Type::Alu { common.omask } else { 0 };
        let always = compared | predicates;
        let results = common.wmask | common.omask | (alu.w_omask as u8) << 3 | always;
        let uncached = umrt && common.class == Type::Out && common.omask == 15;
        let lanes = [0, 1, 2, 3].map(|channel| match results >> channel & 1 {
            0 => Vec::new(),
            _ => operands(instruction, alu, channel),
        });
        AluReads { results, always, uncached, lanes }
    }

    /// Whether it reads registers of other points.
    pub fn of_neighbours(&self) -> bool {
        self.lanes.iter().flatten().any(|read| read.whose != Whose::Own)
    }

    /// For each channel, the slots among `lanes` in which its result has an effect: the predicates
    /// let it be written.
    pub fn effective(&self, group: &GroupState, common: &Common, lanes: u64) -> [u64; 4] {
        let mut effective =
            [0, 1, 2, 3].map(|n| if self.results >> n & 1 != 0 { lanes } else { 0 });
        if gates(common).iter().all(Option::is_none) {
            return effective;
        }
        for slot in slots(lanes) {
            let gate = channel_gate(common, group.predicates(slot));
            let written = match self.uncached && gate != 15 {
                // A temporary may be written, too.
                true => common.wmask & gate,
                false => gate,
            };
            for (n, lanes) in effective.iter_mut().enumerate() {
                if (written | self.always) >> n & 1 == 0 {
                    *lanes &= !(1 << slot);
                }
            }
        }
        effective
    }
}

/// What the operation of a channel reads.
fn operands(instruction: &Instruction, alu: &Alu, channel: usize) -> Vec<Read> {
    let mut reads = Vec::new();
    let [rgb, alpha] = alu.units.map(|unit| unit.op);
    let own = if channel < 3 { rgb } else { alpha };
    let (op, channel) = match own {
        AluOp::Sop => (alpha, 3),
        AluOp::Dp => (rgb, 0),
        op => (op, channel),
    };
    let lanes: [&[usize]; 3] = match op {
        AluOp::Dp3 => [&[0, 1, 2], &[0, 1, 2], &[]],
        AluOp::Dp4 => [&[0, 1, 2, 3], &[0, 1, 2, 3], &[]],
        AluOp::D2a => [&[0, 1], &[0, 1], &[2]],
        _ => [0, 1, 2].map(|input| match op.operands() >> input & 1 {
            0 => &[],
            _ => std::slice::from_ref(&CHANNELS[channel]),
        }),
    };
    let neighbour = |input, quad| Read {
        input,
        source: alu.unit_of(channel).sources[0],
        register: instruction.source_register(alu.unit_of(channel).sources[0]),
        channel: channel as u8,
        whose: Whose::Quad(quad),
        presubtract: false,
    };
    if op.is_neighbour() {
        reads.push(neighbour(0, 0));
    }
    for (input, lanes) in lanes.into_iter().enumerate() {
        for &lane in lanes {
            input_reads(instruction, alu, input, lane, &mut reads);
        }
    }
    if op.is_neighbour() {
        reads.push(neighbour(2, if op == AluOp::Mdh { 1 } else { 2 }));
    }
    reads
}

const CHANNELS: [usize; 4] = [0, 1, 2, 3];

/// What one lane of an input reads: nothing, a source's channel, or two through the presubtract.
fn input_reads(
    instruction: &Instruction,
    alu: &Alu,
    input: usize,
    lane: usize,
    reads: &mut Vec<Read>,
) {
    let (sel, swizzle, _) = alu.lane(input, lane);
    let Some(channel) = swizzle.channel() else {
        return;
    };
    let unit = alu.unit_of(channel);
    let numbers: &[usize] = match sel {
        Sel::Src0 => &[0],
        Sel::Src1 => &[1],
        Sel::Src2 => &[2],
        Sel::Srcp => match unit.presub {
            Presub::Bias | Presub::Inv => &[0],
            Presub::Sub | Presub::Add => &[0, 1],
        },
    };
    reads.extend(numbers.iter().map(|&number| Read {
        input,
        source: unit.sources[number],
        register: instruction.source_register(unit.sources[number]),
        channel: channel as u8,
        whose: Whose::Own,
        presubtract: sel == Sel::Srcp,
    }));
}

/// What each instruction of a program reads, by pc; `None` for TEX and FC.
#[derive(Debug)]
pub struct ProgramReads(Vec<Option<AluReads>>);

impl ProgramReads {
    /// Decodes a program.
    pub fn of(program: &Program) -> ProgramReads {
        let reads = |instruction: &Instruction| {
            let alu = instruction.alu()?;
            Some(AluReads::of(instruction, alu, program.umrt()))
        };
        ProgramReads(program.instructions().iter().map(reads).collect())
    }

    /// What the instruction at a pc reads, if it is ALU or OUT.
    pub fn at(&self, pc: u32) -> Option<&AluReads> {
        self.0.get(pc as usize)?.as_ref()
    }
}

/// The predicate bit that a flow-control instruction reads.
pub fn flow_predicate(common: &Common) -> Option<usize> {
    match common.pred_sel[RGB] {
        PredSel::None | PredSel::Reserved(_) => None,
        PredSel::R | PredSel::Rgba => Some(0),
        PredSel::G => Some(1),
        PredSel::B => Some(2),
        PredSel::A => Some(3),
    }
}

/// The channels of a coordinate's swizzle that decide which element a fetch reads.
pub fn coordinate_channels(op: TexOp) -> &'static [usize] {
    match op {
        TexOp::Ld | TexOp::LodBias | TexOp::Lod | TexOp::DxDy => &[0, 1],
        TexOp::Proj => &[0, 1, 3],
        TexOp::Texkill => &[0, 1, 2, 3],
        TexOp::Nop | TexOp::Reserved(_) => &[],
    }
}

/// Whether the instruction uses an integer constant: ENDREP's has no effect.
pub fn uses_integer(op: FcOp) -> bool {
    matches!(op, FcOp::Loop | FcOp::EndLoop | FcOp::Rep)
}

/// The first OUT that writes an output, and with what channels.
pub fn first_out(program: &Program, output: usize, channels: u8) -> Option<u32> {
    let writes = |instruction: &Instruction| {
        let common = &instruction.common;
        let Body::Alu(alu) = &instruction.body else {
            return false;
        };
        common.class == Type::Out
            && (0..4).any(|channel| {
                (common.omask & channels) >> channel & 1 != 0
                    && alu.unit_of(channel).target as usize & 3 == output
            })
    };
    program.instructions().iter().position(writes).map(|pc| pc as u32)
}

/// The channels of each output that a point of a launch is expected to write: those that the output
/// stores and the mask lets through, of the outputs that the program writes at all. None of an
/// uncached program.
pub fn expected_outputs(launch: &Launch) -> [u8; 4] {
    let uses = launch.program.uses();
    [0, 1, 2, 3].map(|n| match launch.outputs[n] {
        Some(surface) if uses.outputs >> n & 1 != 0 && !launch.program.umrt() => {
            launch.out_mask & ((1 << surface.format.channels()) - 1) as u8
        }
        _ => 0,
    })
}
