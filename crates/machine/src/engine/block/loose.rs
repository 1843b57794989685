//! Results that may stay as they come: a denormal in the place of a zero, and a NaN of any form.
//!
//! Kernels ([`super::daz`]) read both as mode `exact` wants them. So do comparisons, output modifiers
//! and transcendental functions, which flush what they read. A result must be settled only if something
//! else can read it: another operation, or any operation beyond a jump.

use super::code::{Code, Step};
use super::daz::LOOSE;
use crate::lower::{Lowered, Write};
use ctm_isa::ops::{Calc, Effect, Op, Size};

/// The points whose value in a row is read as it is: bit 0 the active ones, bit 1 the others.
type Seen = u8;

const ALL: Seen = 3;

/// Lets results stay as they come where nothing can tell. `entered` are the places that jumps reach, and
/// one more; there are `rows` rows.
pub(super) fn loosen(lowered: &Lowered, code: &mut [Code], entered: &[bool], rows: usize) {
    let mut seen: Vec<Seen> = vec![0; rows];
    // Rows of the program are read beyond jumps, but for those that live within one instruction.
    let outlive = |seen: &mut [Seen], from: u32| {
        seen[..from as usize].fill(0);
        seen[from as usize..lowered.scratch as usize].fill(ALL);
        seen[lowered.scratch as usize..].fill(0);
    };
    // Groups of a launch with data sharing leave temporaries to later ones.
    let at_end = if lowered.windows.is_empty() { lowered.temporaries } else { 0 };
    for (n, code) in code.iter_mut().enumerate().rev() {
        if entered[n + 1] {
            outlive(&mut seen, 0);
        }
        let written = match code.write {
            Write::All | Write::Gated => ALL,
            Write::Active => 1,
        };
        let result = seen[code.dst as usize] & written;
        // Active points are the same between two jumps.
        let overwrite = |seen: &mut [Seen]| {
            let kept = if code.write == Write::Gated { ALL } else { !written };
            seen[code.dst as usize] &= kept;
        };
        match code.step {
            Step::Kernel => {
                if result == 0 {
                    code.aux |= LOOSE;
                }
                overwrite(&mut seen);
            }
            Step::Modify => {
                overwrite(&mut seen);
                seen[code.src[0] as usize] |= result;
            }
            Step::Op(Op::Calc(calc)) => {
                overwrite(&mut seen);
                let facts = calc.facts();
                for (operand, &row) in code.src[..facts.operands].iter().enumerate() {
                    seen[row as usize] |= if facts.facts.keeps >> operand & 1 != 0 {
                        result
                    } else if flushes(calc) {
                        0
                    } else {
                        ALL
                    };
                }
            }
            Step::Op(Op::SetBit) => {}
            // An output is read when the group ends; a temporary is not.
            Step::Op(Op::End) => outlive(&mut seen, at_end),
            Step::Op(Op::LoadTemp) => seen[..lowered.temporaries as usize].fill(ALL),
            Step::Op(op) => match op.facts().effect {
                Effect::End | Effect::Flow => outlive(&mut seen, 0),
                Effect::Gate => {}
                Effect::Row
                | Effect::Held
                | Effect::Texel
                | Effect::Temporary
                | Effect::Bit
                | Effect::Memory
                | Effect::Kill => code.src.iter().for_each(|&row| seen[row as usize] = ALL),
            },
        }
    }
}

/// Whether an operation flushes what it reads, and takes every NaN alike.
pub(super) fn flushes(calc: Calc) -> bool {
    matches!(calc.facts().size, Size::Scaled | Size::Reciprocal | Size::Function { .. })
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::super::plain::Builder;
    use super::*;
    use crate::launch::FloatMode;
    use crate::lower::lower;
    use ctm_lang::asm::assemble;
    use ctm_lang::program::Program;

    /// Whether the results of the kernels of a program may stay as they come.
    fn loose(source: &str) -> Vec<bool> {
        let image = assemble(source, "test").unwrap_or_else(|errors| panic!("{source}\n{errors}"));
        let program = Program::new(image).unwrap_or_else(|errors| panic!("{source}\n{errors}"));
        let lowered = lower(&program, 0, FloatMode::Exact);
        let uniforms = lowered.uniforms.len() as u32;
        let mut builder = Builder::new(lowered.rows, uniforms, FloatMode::Exact, true);
        let mut jumped = true;
        for op in &lowered.ops {
            builder.push(op, jumped);
            jumped = op.op == Op::Flow;
        }
        let (code, _) = builder.finish(&lowered);
        let kernels = code.iter().filter_map(|code| match code.step {
            Step::Kernel => Some(code.aux & LOOSE != 0),
            Step::Op(_) | Step::Modify => None,
        });
        kernels.collect()
    }

    #[test]
    fn what_only_kernels_read_stays_as_it_comes() {
        for (then, expected) in [
            ("mad o0.r, r1.r, r0.r, 1", &[true, false][..]),
            ("mad o0.r, -r1.r, |r1.r|, 1", &[true, false]),
            // An operation that flushes, and one that copies bits.
            ("rcp r2.a, r1.r\nmov o0.r, r2.a", &[true]),
            ("max o0.r, r1.r, r0.r", &[false]),
            ("max r2.r, r1.r, r0.r\nadd o0.r, r2.r, 1", &[true, false]),
            ("movx o0.r, r1.r", &[false]),
            ("add r1.r, r1.r, 1\nmovx o0.r, r1.r", &[true, false]),
            ("(p) add r1.r, r1.r, 1\nmovx o0.r, r1.r", &[false, false]),
            ("texkill r1\nmov o0.r, 1", &[false]),
            // Comparisons. What is beyond a jump may read anything.
            ("sub alu_result >= 0, r1.r, 1\nmov o0.r, 1", &[true, true]),
            ("rep 3\nadd r1.r, r1.r, 1\nendrep\nmovx o0.r, r1.r", &[false, false]),
            // Temporaries end with the group.
            ("mov o0.r, 1", &[true]),
        ] {
            let source = format!("mul r1.r, r0.r, r0.g\n{then}");
            assert_eq!(loose(&source), expected, "{source}");
        }
    }
}
