//! Programs whose groups share registers: those of the other strengths, with some of their
//! temporaries exchanged for global registers and clause temporaries.

use super::{Domain, Launch};
use ctm_base::random::Random;
use ctm_isa::isa::{
    ALPHA, AluOp, Body, Instruction, RGB, Source, SourceKind, TEMPORARIES, Type, Usage,
};
use ctm_lang::program::Sharing;
use ctm_machine::launch::Shared;
use std::sync::Arc;

/// R700's codes of the index modes that name global registers.
const MODES: [u8; 2] = [5, 6];
/// The codes that change nothing.
const PLAIN: [u8; 2] = [0, 4];

/// The numbers of shared registers of a program.
pub(super) fn counts(random: &mut Random) -> Sharing {
    let globals = random.pick(&[0, 1, 2, 2, 4, 4, 8, 16, 128]);
    Sharing(globals | random.pick(&[0, 1, 1, 2, 3, 15]) << 28)
}

/// A domain of many groups, so that SIMDs get several pairs.
pub(super) fn domain(random: &mut Random) -> Domain {
    let (width, height) = match random.weighted(&[50, 30, 15, 5]) {
        0 => (random.range(9, 48), random.range(1, 24)),
        1 => (random.range(60, 320), random.range(1, 2)),
        2 => (random.range(1, 16), random.range(30, 70)),
        // More than a pair for each of 64 SIMDs.
        _ => (random.range(1025, 1200), random.range(1, 8)),
    };
    let (i0, j0) = (random.below(9), random.below(5));
    Domain { i0, j0, i1: i0 + width - 1, j1: j0 + height - 1 }
}

/// Makes the instructions of a program those of one with data sharing.
pub(super) fn share(random: &mut Random, code: &mut [Instruction], sharing: Sharing) {
    let mut moved = false;
    for instruction in code.iter_mut() {
        instruction.sharing = true;
        instruction.common.stat_we = 0;
        clauses(random, instruction, sharing);
        if !matches!(instruction.common.class, Type::Alu | Type::Out) {
            continue;
        }
        let globals = sharing.globals() as u32;
        let many = if globals == 0 { 3 } else { 60 };
        instruction.common.stat_we = random.pick(&PLAIN);
        if random.chance(many) {
            // AR.X is 0 until an instruction has set it.
            let mode = MODES[usize::from(moved && random.chance(60))];
            instruction.common.stat_we = mode;
            let Body::Alu(alu) = &mut instruction.body else { continue };
            for unit in &mut alu.units {
                for source in &mut unit.sources {
                    if matches!(source.kind(), SourceKind::Temp(_)) {
                        source.relative = random.chance(60);
                        if source.relative {
                            source.addr = global(random, globals, mode);
                        }
                    }
                }
                unit.dest_rel = random.chance(60);
                if unit.dest_rel {
                    unit.dest = global(random, globals, mode);
                }
            }
            if random.chance(50) {
                // The same register for both units.
                alu.units[ALPHA].sources = alu.units[RGB].sources;
                (alu.units[ALPHA].dest, alu.units[ALPHA].dest_rel) =
                    (alu.units[RGB].dest, alu.units[RGB].dest_rel);
            }
        }
        let idle = Usage::of(instruction).is_none_or(|usage| !usage.units[RGB]);
        let Body::Alu(alu) = &mut instruction.body else { continue };
        if !idle && alu.units[ALPHA].op != AluOp::Dp && random.chance(20) {
            let rgb = &mut alu.units[RGB];
            rgb.op = AluOp::MovaFloor;
            moved = true;
            if random.chance(70) {
                // A small number: the column or row, or a constant.
                rgb.sources[0] = small(random);
                rgb.inputs[0].sel = ctm_isa::isa::Sel::Src0;
                instruction.common.wmask |= 1;
            }
        }
    }
}

/// A source whose channels are often small numbers.
fn small(random: &mut Random) -> Source {
    let inline = ctm_lang::asm::inline_code(random.pick(&[0.5, 1.0, 1.5, 2.0, 3.0])).unwrap_or(0);
    let addr = random.pick(&[0, 0, 0, 0x80 | inline]);
    Source { addr, constant: false, relative: false }
}

/// The number of a global register, mostly of one that exists.
fn global(random: &mut Random, globals: u32, mode: u8) -> u8 {
    match random.weighted(&[94, 4, 2]) {
        0 if mode == MODES[1] => random.below(globals.div_ceil(2).max(1)) as u8,
        0 => random.below(globals.max(1)) as u8,
        1 => (globals + random.below(3)).min(127) as u8,
        _ => random.below(128) as u8,
    }
}

/// Makes some temporaries of an instruction clause temporaries.
fn clauses(random: &mut Random, instruction: &mut Instruction, sharing: Sharing) {
    let count = sharing.clauses() as u32;
    if count == 0 {
        return;
    }
    let mut clause = |addr: u8| {
        if random.chance(25) { (TEMPORARIES as u32 - 1 - random.below(count)) as u8 } else { addr }
    };
    match &mut instruction.body {
        Body::Alu(alu) => {
            for unit in &mut alu.units {
                unit.dest = clause(unit.dest);
                for source in &mut unit.sources {
                    if matches!(source.kind(), SourceKind::Temp(_)) {
                        source.addr = clause(source.addr);
                    }
                }
            }
        }
        Body::Tex(tex) => {
            tex.dest = clause(tex.dest);
            tex.src.addr = clause(tex.src.addr);
        }
        Body::Fc(_) => {}
    }
}

/// Gives a launch its SIMDs and global registers.
pub(super) fn registers(random: &mut Random, launch: &mut Launch, sharing: Sharing) {
    let simds = random.pick(&[1, 1, 2, 2, 7, 64]);
    let mut shared = Shared::new(sharing, simds);
    if random.chance(60) {
        let hard: Vec<[u32; 4]> = (0..97).map(|_| std::array::from_fn(|_| random.hard())).collect();
        let size = shared.size();
        shared.globals = Arc::new(hard.into_iter().cycle().take(size).collect());
    }
    launch.shared = Some(shared);
    let first = sharing.first_clause();
    launch.initial.retain(|initial| (initial.temp as usize) < first);
}
