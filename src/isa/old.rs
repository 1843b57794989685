//! The facts of this room against the tables that they replace. The tables go with this test.
#![allow(dead_code)]
use super::codes::*;
use super::instruction::*;
use super::{Access, Type};
use crate::ops::Formula;

/// The parts of an ALU or OUT instruction that have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Usage {
    /// Whether the result of the RGB unit and of the alpha unit is used. (The inputs A and B that
    /// DP4 reads do not count for the alpha unit.)
    pub units: [bool; 2],
    /// For inputs A, B, C: the lanes read, bit 0 red to bit 3 alpha. DP4 reads all four.
    pub inputs: [u8; 3],
}

impl Usage {
    /// The usage of an ALU or OUT instruction; `None` for TEX and FC.
    pub fn of(instruction: &Instruction) -> Option<Usage> {
        let alu = instruction.alu()?;
        let common = &instruction.common;
        let ops = alu.units.map(|unit| unit.op);

        let mut lanes = common.wmask | common.omask | (alu.w_omask as u8) << 3;
        if alu.alu_wmask {
            lanes |= match common.alu_result_sel {
                AluResultSel::Red => 1,
                AluResultSel::Alpha => 8,
            };
        }
        let [rgb, alpha] = UNIT_MASKS.map(|mask| lanes & mask != 0);
        let units =
            [rgb || (alpha && ops[ALPHA] == AluOp::Dp), alpha || (rgb && ops[RGB] == AluOp::Sop)];

        let reads = |unit: usize, lanes: u8| {
            [A, B, C].map(|input| if ops[unit].operands() & input != 0 { lanes } else { 0 })
        };
        let mut inputs = [0; 3];
        if units[RGB] {
            inputs = match ops[RGB] {
                AluOp::Dp3 => [7, 7, 0],
                AluOp::Dp4 => [15, 15, 0],
                AluOp::D2a => [3, 3, 4],
                _ => reads(RGB, lanes & 7),
            };
        }
        if units[ALPHA] {
            for (input, lane) in inputs.iter_mut().zip(reads(ALPHA, 8)) {
                *input |= lane;
            }
        }
        Some(Usage { units, inputs })
    }

    /// Whether neither unit has an effect.
    pub fn is_idle(&self) -> bool {
        self.units == [false; 2]
    }
}

/// Which channels of its sources an ALU or OUT instruction reads: bit 0 R to bit 3 A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SourcesRead {
    /// Channels of sources 0 to 2: R, G, B of rgb0 to rgb2, A of a0 to a2.
    pub sources: [u8; 3],
    /// Channels of the presubtract results.
    pub srcp: u8,
}

impl SourcesRead {
    /// The sources that the used lanes of an instruction read, including presubtract and MDH/MDV.
    pub fn of(alu: &Alu, usage: &Usage) -> SourcesRead {
        let mut read = SourcesRead::default();
        for (n, lanes) in usage.inputs.into_iter().enumerate() {
            for lane in (0..4).filter(|lane| lanes >> lane & 1 != 0) {
                let (sel, swizzle, _) = alu.lane(n, lane);
                read.lane(sel, swizzle);
            }
        }
        for (n, (unit, mask)) in alu.units.iter().zip(UNIT_MASKS).enumerate() {
            if usage.units[n] && unit.op.is_neighbour() {
                // A and C take the lanes of src0 that B uses.
                read.sources[0] |= usage.inputs[1] & mask;
            }
            read.sources[0] |= read.srcp & mask;
            if matches!(unit.presub, Presub::Sub | Presub::Add) {
                read.sources[1] |= read.srcp & mask;
            }
        }
        read
    }

    /// Whether a unit, [`RGB`] or [`ALPHA`], reads its source n.
    pub fn reads(&self, unit: usize, n: usize) -> bool {
        self.sources[n] & UNIT_MASKS[unit] != 0
    }

    fn lane(&mut self, sel: Sel, swizzle: Swizzle) {
        match (sel, swizzle.channel()) {
            (_, None) => {}
            (Sel::Srcp, Some(channel)) => self.srcp |= 1 << channel,
            (sel, Some(channel)) => self.sources[sel.code() as usize] |= 1 << channel,
        }
    }
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

fn channel_gate(common: &Common, predicates: u8) -> u8 {
    let select = |sel: PredSel, invert: bool| -> u8 {
        let bits = match sel {
            PredSel::None | PredSel::Reserved(_) => return 15,
            PredSel::Rgba => predicates,
            PredSel::R => 15 * (predicates & 1),
            PredSel::G => 15 * (predicates >> 1 & 1),
            PredSel::B => 15 * (predicates >> 2 & 1),
            PredSel::A => 15 * (predicates >> 3 & 1),
        };
        if invert { !bits & 15 } else { bits }
    };
    select(common.pred_sel[RGB], common.pred_inv[RGB]) & 7
        | select(common.pred_sel[ALPHA], common.pred_inv[ALPHA]) & 8
}

#[test]
fn facts_are_those_of_the_old_tables() {
    let mut random = crate::check::random::Random::new(&[0x29]);
    let (mut invalid, mut both) = (0, 0);
    for n in 0..100_000u32 {
        let mut words: [u32; 6] = std::array::from_fn(|_| random.bits());
        if n % 2 == 0 {
            // Fewer channels, so that more lanes are idle.
            words[0] &= random.bits();
        }
        let sharing = n % 3 == 0;
        let instruction = Instruction::decode_as(&words, sharing);
        let umrt = n % 5 == 0;
        let access = Access::of(&instruction, umrt);
        let common = &instruction.common;
        for p in 0..16 {
            assert_eq!(common.gate(p), channel_gate(common, p));
        }
        assert_eq!(common.gates()[0], flow_predicate(common));
        if let Body::Tex(tex) = &instruction.body {
            let old = coordinate_channels(tex.op).iter().fold(0, |mask, n| mask | 1u8 << n);
            assert_eq!(tex.op.coordinates(), old);
        }
        let Body::Alu(alu) = &instruction.body else { continue };
        let ops = alu.units.map(|unit| unit.op);
        // The verifier refuses these: SOP and DP without an operation to copy.
        let alone = ops[0] == AluOp::Sop && !ops[1].is_transcendental()
            || ops[1] == AluOp::Dp && !ops[0].is_dot();
        if alone {
            invalid += 1;
            continue;
        }
        let (new, old) =
            (super::Usage::of(&instruction).unwrap(), Usage::of(&instruction).unwrap());
        assert_eq!((new.units, new.inputs), (old.units, old.inputs), "{instruction:?}");
        let (new_read, old_read) = (super::SourcesRead::of(alu, &new), SourcesRead::of(alu, &old));
        assert_eq!((new_read.sources, new_read.srcp), (old_read.sources, old_read.srcp));
        let reads = AluReads::of(&instruction, alu, umrt);
        assert_eq!(reads.results, instruction.results());
        for channel in 0..4 {
            let plain = |r: &super::Read| {
                (
                    r.input,
                    r.source,
                    r.register,
                    r.channel,
                    match r.whose {
                        super::Whose::Own => None,
                        super::Whose::Quad(n) => Some(n),
                    },
                    r.presubtract,
                )
            };
            let was = |r: &Read| {
                (
                    r.input,
                    r.source,
                    r.register,
                    r.channel as usize,
                    match r.whose {
                        Whose::Own => None,
                        Whose::Quad(n) => Some(n),
                    },
                    r.presubtract,
                )
            };
            assert_eq!(
                access.reads[channel].iter().map(plain).collect::<Vec<_>>(),
                reads.lanes[channel].iter().map(was).collect::<Vec<_>>()
            );
            // The debugger's lanes, but for what stands beside DP4, where they were wrong.
            if reads.results >> channel & 1 == 0 || ops[0] == AluOp::Dp4 && channel == 3 {
                continue;
            }
            let mut old: Vec<(usize, usize)> = lanes(alu, &old, channel);
            let (op, lane) = alu.computed(channel);
            let mut new: Vec<(usize, usize)> = (0..3)
                .flat_map(|input| {
                    super::channels(op.lanes(lane)[input]).map(move |lane| (input, lane))
                })
                .collect();
            if op.is_neighbour() {
                new.extend([(0, lane), (2, lane)]);
            }
            old.sort();
            new.sort();
            assert_eq!(old, new, "{ops:?} {channel}");
            both += 1;
        }
        // What it writes.
        let mask = |to: fn(&super::To) -> bool| {
            access.writes.iter().filter(|w| to(&w.to)).fold(0u8, |m, w| m | 1 << w.channel)
        };
        assert_eq!(mask(|to| matches!(to, super::To::Register(_))), common.wmask);
        let out = if common.class == Type::Out && !umrt { common.omask } else { 0 };
        assert_eq!(mask(|to| matches!(to, super::To::Output(_))), out);
        let sent = if common.class == Type::Out && umrt && common.omask == 15 { 15 } else { 0 };
        assert_eq!(mask(|to| matches!(to, super::To::Uncached)), sent);
        let predicates = if common.class == Type::Alu { common.omask } else { 0 };
        assert_eq!(mask(|to| matches!(to, super::To::Predicate)), predicates);
    }
    assert!(invalid > 100 && both > 10_000, "{invalid} {both}");
}
