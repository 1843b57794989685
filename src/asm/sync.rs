//! Sets the synchronisation bits of a correct program \[G 24, 26, 33\].
//!
//! They do not affect results here, but the hardware needs them, and a checker reports missing
//! ones.

use super::draft::Draft;
use crate::isa::table::{cmn_inst, tex_inst};
use crate::isa::{Body, Source, SourceKind, SourcesRead, TEMPORARIES, TexOp, UNIT_MASKS, Usage};

/// Channels of temporaries: four bits per temporary.
#[derive(Clone, PartialEq, Eq)]
struct Temps([u8; TEMPORARIES]);

impl Temps {
    fn none() -> Temps {
        Temps([0; TEMPORARIES])
    }
    fn add(&mut self, addr: u8, relative: bool, channels: u8) {
        if relative {
            self.0.iter_mut().for_each(|temp| *temp |= channels);
        } else if let Some(temp) = self.0.get_mut(addr as usize) {
            *temp |= channels;
        }
    }
    fn meets(&self, other: &Temps) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
    fn is_empty(&self) -> bool {
        self.0.iter().all(|temp| *temp == 0)
    }
}

/// Sets the bits that the source leaves to the assembler. `joins[n]` tells whether slot n can be
/// reached other than from the slot before it.
pub(super) fn automatic(code: &mut [Draft<'_>], joins: &[bool]) {
    let mut fetched = Temps::none();
    for draft in code.iter() {
        writes_of_fetch(draft, &mut fetched);
    }
    let mut pending = Temps::none();
    for n in 0..code.len() {
        if joins[n] {
            // After a jump here, any fetch may be pending. An unnecessary wait costs nothing.
            pending = fetched.clone();
        }
        let mut touched = Temps::none();
        touches(&code[n], &mut touched);
        let wait = !pending.is_empty() && touched.meets(&pending);
        let draft = &mut code[n];
        let [auto_wait, auto_alu_wait, auto_acquire] =
            [cmn_inst::TEX_SEM_WAIT, cmn_inst::ALU_WAIT, tex_inst::TEX_SEM_ACQUIRE]
                .map(|field| !draft.gives(&field));
        let common = &mut draft.instruction.common;
        let mut acquires = false;
        match &mut draft.instruction.body {
            Body::Tex(tex) => {
                if auto_acquire {
                    tex.tex_sem_acquire = tex.op.fetches();
                }
                acquires = tex.tex_sem_acquire;
            }
            Body::Fc(_) if auto_alu_wait => common.alu_wait = true,
            Body::Fc(_) | Body::Alu(_) => {}
        }
        if auto_wait {
            common.tex_sem_wait = wait || acquires;
        }
        if common.tex_sem_wait {
            pending = Temps::none();
        }
        writes_of_fetch(&code[n], &mut pending);
        if n > 0 && code[n - 1].instruction.alu().is_some() && !code[n - 1].gives(&cmn_inst::NOP) {
            code[n - 1].instruction.common.nop = hazard(&code[n - 1], &code[n]);
        }
    }
}

/// Adds the temporaries that a fetch fills.
fn writes_of_fetch(draft: &Draft<'_>, temps: &mut Temps) {
    if let Body::Tex(tex) = &draft.instruction.body
        && tex.op.fetches()
    {
        temps.add(tex.dest, tex.dest_rel, draft.instruction.common.wmask);
    }
}

/// Adds the temporaries that an instruction reads or writes.
fn touches(draft: &Draft<'_>, temps: &mut Temps) {
    let instruction = &draft.instruction;
    match &instruction.body {
        Body::Tex(tex) => {
            if tex.op != TexOp::Nop {
                temps.add(tex.src.addr, tex.src.relative, 15);
            }
            if tex.op == TexOp::DxDy {
                temps.add(tex.dx.addr, tex.dx.relative, 15);
                temps.add(tex.dy.addr, tex.dy.relative, 15);
            }
            writes_of_fetch(draft, temps);
        }
        Body::Alu(alu) => {
            if let Some(usage) = Usage::of(instruction) {
                let read = SourcesRead::of(alu, &usage);
                for n in 0..3 {
                    for (unit, mask) in alu.units.iter().zip(UNIT_MASKS) {
                        source(unit.sources[n], read.sources[n] & mask, temps);
                    }
                }
            }
            writes_of_alu(draft, temps);
        }
        Body::Fc(_) => {}
    }
}

fn source(source: Source, channels: u8, temps: &mut Temps) {
    if let SourceKind::Temp(n) = source.kind()
        && channels != 0
    {
        temps.add(n, source.relative, channels);
    }
}

fn writes_of_alu(draft: &Draft<'_>, temps: &mut Temps) {
    let common = &draft.instruction.common;
    if let Some(alu) = draft.instruction.alu() {
        for (unit, mask) in alu.units.iter().zip(UNIT_MASKS) {
            temps.add(unit.dest, unit.dest_rel, common.wmask & mask);
        }
    }
}

/// Whether two instructions need an idle slot between them: the second forms a sum, or a difference
/// between neighbours, of a value that the first writes.
fn hazard(first: &Draft<'_>, second: &Draft<'_>) -> bool {
    let (Some(alu), Some(usage)) = (second.instruction.alu(), Usage::of(&second.instruction))
    else {
        return false;
    };
    let read = SourcesRead::of(alu, &usage);
    let mut early = Temps::none();
    for (n, (unit, mask)) in alu.units.iter().zip(UNIT_MASKS).enumerate() {
        for slot in 0..2 {
            // Unary sums read only source 0.
            if read.reads(n, slot) {
                source(unit.sources[slot], read.srcp & mask, &mut early);
            }
        }
        if usage.units[n] && unit.op.is_neighbour() {
            source(unit.sources[0], mask, &mut early);
        }
    }
    let mut written = Temps::none();
    writes_of_alu(first, &mut written);
    written.meets(&early)
}
