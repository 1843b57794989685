//! Sets the synchronisation bits of a correct program \[G 24, 26, 33\].
//!
//! They do not affect results here, but the hardware needs them, and a checker reports missing
//! ones.

use super::draft::Draft;
use ctm_base::text::Span;
use ctm_isa::isa::table::{cmn_inst, tex_inst};
use ctm_isa::isa::{Body, Instruction, Temps, TexOp};

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
        let wait = !pending.is_empty() && touched(&code[n]).meets(&pending);
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

/// The temporaries that an instruction reads or writes.
fn touched(draft: &Draft<'_>) -> Temps {
    let mut temps = Temps::none();
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
            writes_of_fetch(draft, &mut temps);
        }
        Body::Alu(_) => {
            temps.join(&Temps::read_by(instruction));
            temps.join(&Temps::written_by(instruction));
        }
        Body::Fc(_) => {}
    }
    temps
}

/// Whether two instructions need an idle slot between them: the second forms a sum, or a difference
/// between neighbours, of a value that the first writes.
fn hazard(first: &Draft<'_>, second: &Draft<'_>) -> bool {
    Temps::written_by(&first.instruction).meets(&Temps::read_early_by(&second.instruction))
}

/// Sets the synchronisation bits of a program without calls, whose jumps count from its first slot.
pub fn synchronise(code: &mut [Instruction]) {
    let mut drafts: Vec<Draft<'_>> =
        code.iter().map(|one| Draft::new(*one, Span::default())).collect();
    let mut joins: Vec<bool> = (0..=code.len()).map(|n| n == 0).collect();
    for one in code.iter() {
        if let Body::Fc(fc) = &one.body
            && let Some(join) = joins.get_mut(usize::from(fc.jump_addr))
        {
            *join = true;
        }
    }
    automatic(&mut drafts, &joins);
    for (one, draft) in code.iter_mut().zip(&drafts) {
        *one = draft.instruction;
    }
}
