//! Why programs are refused, and what is odd about accepted ones.

use super::{ConstantKind, SourceRef};
use ctm_isa::isa::{Code, Field};
use std::fmt;

/// One reason why a program is refused. `pc` is the instruction's slot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// No instructions.
    #[error("the program has no instructions, expected 1 to 512")]
    Empty,
    /// Too many instructions.
    #[error("the program has {instructions} instructions, expected at most 512")]
    TooLong {
        /// How many.
        instructions: usize,
    },
    /// A reserved code in a field that has an effect.
    #[error("pc {pc}: {} is {value}, which is reserved; allowed: {}", name(.field), values(.field))]
    Reserved {
        /// The instruction.
        pc: u32,
        /// The field.
        field: &'static Field,
        /// Its value.
        value: u32,
    },
    /// An inline constant with relative addressing.
    #[error(
        "pc {pc}: {} is 1 with {} {value}, an inline constant; aL can only be added to temporaries and constants",
        name(.field), .address.name
    )]
    InlineRelative {
        /// The instruction.
        pc: u32,
        /// The relative bit.
        field: &'static Field,
        /// The address.
        address: &'static Field,
        /// Its value.
        value: u32,
    },
    /// SOP without the alpha unit's scalar.
    #[error(
        "pc {pc}: {} is 10 (SOP), which needs EX2, LN2, RCP, RSQ, SIN or COS in ALPHA_OP, not {alpha_op}",
        name(&ctm_isa::isa::table::alu_rgba_inst::RGB_OP)
    )]
    SopAlone {
        /// The instruction.
        pc: u32,
        /// The name of the alpha opcode.
        alpha_op: &'static str,
    },
    /// DP without the RGB unit's scalar.
    #[error(
        "pc {pc}: {} is 1 (DP), which needs DP3, DP4 or D2A in RGB_OP, not {rgb_op}",
        name(&ctm_isa::isa::table::alu_alpha_inst::ALPHA_OP)
    )]
    DpAlone {
        /// The instruction.
        pc: u32,
        /// The name of the RGB opcode.
        rgb_op: &'static str,
    },
    /// A flow-control instruction with one predicate per channel.
    #[error(
        "pc {pc}: {} is 1 (RGBA) on FC, which needs one predicate for the whole instruction; allowed: 0 NONE, 2 RRRR, 3 GGGG, 4 BBBB, 5 AAAA",
        name(&ctm_isa::isa::table::cmn_inst::RGB_PRED_SEL)
    )]
    FcPredicate {
        /// The instruction.
        pc: u32,
    },
    /// Swizzle code 7 on a used lane.
    #[error("pc {pc}: {} is 7 (unused) on a lane that is used; allowed: 0 to 6", name(.field))]
    UnusedSwizzle {
        /// The instruction.
        pc: u32,
        /// The swizzle's field.
        field: &'static Field,
    },
    /// An uncached write of only some channels.
    #[error(
        "pc {pc}: RGB_OMASK and ALPHA_OMASK of US_CMN_INST are {rgb} and {alpha} in an uncached-write program; allowed: 7 and 1 (all channels), 0 and 0 (none)"
    )]
    UncachedMask {
        /// The instruction.
        pc: u32,
        /// RGB_OMASK.
        rgb: u8,
        /// ALPHA_OMASK.
        alpha: u8,
    },
    /// US_CODE_ADDR ends before it starts.
    #[error(
        "US_CODE_ADDR is {value:#010x}: END_ADDR {end} is before START_ADDR {start}, expected at least {start}"
    )]
    EndBeforeStart {
        /// The register.
        value: u32,
        /// START_ADDR.
        start: u32,
        /// END_ADDR.
        end: u32,
    },
    /// US_CODE_ADDR names a slot that holds no instruction.
    #[error(
        "US_CODE_ADDR is {value:#010x}: {field} {addr} with OFFSET_ADDR {offset} is slot {}, expected at most {}, the last instruction",
        .addr + .offset, .instructions - 1
    )]
    OutsideCode {
        /// The register.
        value: u32,
        /// START_ADDR or END_ADDR.
        field: &'static str,
        /// The field's value.
        addr: u32,
        /// OFFSET_ADDR of US_CODE_OFFSET.
        offset: u32,
        /// The number of instructions.
        instructions: u32,
    },
    /// An index mode that does not exist, or one on TEX or FC.
    #[error("pc {pc}: US_CMN_INST.INDEX_MODE is {value} on {class}; allowed: {}", codes(.modes))]
    IndexMode {
        /// The instruction.
        pc: u32,
        /// The mode.
        value: u8,
        /// The instruction's class.
        class: &'static str,
        /// The modes that the class can have.
        modes: &'static [Code],
    },
    /// More global registers than a SIMD has.
    #[error("SQ_GPR_RESOURCE is {value:#010x}: NUM_GLOBAL {globals}, expected at most 128")]
    Globals {
        /// The word.
        value: u32,
        /// NUM_GLOBAL.
        globals: usize,
    },
    /// A constant of the program has a register number that does not exist.
    #[error("{} is {} constant {addr}, expected 0 to {last}",
        constant(.name), .kind)]
    ConstantNumber {
        /// A user constant's name; `None` for a literal.
        name: Option<String>,
        /// Its kind.
        kind: ConstantKind,
        /// Its register number.
        addr: u32,
        /// The highest number.
        last: u32,
    },
    /// A named input or output that does not exist.
    #[error("the {what} {name:?} is number {slot}, expected 0 to {last}")]
    SlotNumber {
        /// Input or output.
        what: &'static str,
        /// Its name.
        name: String,
        /// Its number.
        slot: u32,
        /// The highest number.
        last: u32,
    },
    /// The list of errors ends here.
    #[error("and {count} more errors")]
    More {
        /// The number of errors left out.
        count: usize,
    },
}

impl VerifyError {
    /// The instruction that the error is about, if it is one.
    pub fn pc(&self) -> Option<u32> {
        use VerifyError::*;
        match *self {
            Reserved { pc, .. }
            | InlineRelative { pc, .. }
            | SopAlone { pc, .. }
            | DpAlone { pc, .. }
            | FcPredicate { pc }
            | UnusedSwizzle { pc, .. }
            | IndexMode { pc, .. }
            | UncachedMask { pc, .. } => Some(pc),
            Empty
            | TooLong { .. }
            | EndBeforeStart { .. }
            | OutsideCode { .. }
            | Globals { .. }
            | ConstantNumber { .. }
            | SlotNumber { .. }
            | More { .. } => None,
        }
    }
}

/// All reasons why a program is refused, in pc order. A long list is cut; its last entry is then
/// [`VerifyError::More`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyErrors {
    /// The reasons.
    pub errors: Vec<VerifyError>,
    /// Where the program was written.
    pub source: SourceRef,
}

impl std::error::Error for VerifyErrors {}

impl VerifyErrors {
    /// Each error as one line, which begins with its place in the source, if that is known.
    pub fn texts(&self) -> Vec<String> {
        let text = |error: &VerifyError| {
            let map = self.source.get().zip(error.pc());
            match map.and_then(|(map, pc)| map.location(pc)) {
                Some(location) => format!("{location}: {error}"),
                None => error.to_string(),
            }
        };
        self.errors.iter().map(text).collect()
    }
}

impl fmt::Display for VerifyErrors {
    /// A single error is printed as it is; several errors get one line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.texts();
        if let [text] = &texts[..] {
            return f.write_str(text);
        }
        write!(f, "the program is not valid:")?;
        texts.iter().try_for_each(|text| write!(f, "\n  {text}"))
    }
}

/// Something odd in a valid program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The instruction; `None` for the program as a whole.
    pub pc: Option<u32>,
    /// Where the program was written.
    pub source: SourceRef,
    /// What is odd.
    pub text: String,
}

impl Warning {
    /// A warning about a program as a whole.
    pub fn whole(text: String) -> Warning {
        Warning { pc: None, source: SourceRef::default(), text }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(pc) = self.pc {
            write!(f, "{}: ", self.source.place(pc))?;
        }
        f.write_str(&self.text)
    }
}

/// A user constant or a literal, for messages.
fn constant(name: &Option<String>) -> String {
    match name {
        Some(name) => format!("the constant {name:?}"),
        None => "a literal".into(),
    }
}

/// Ascending numbers, human-readable: "0, 3 to 5".
pub fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let texts: Vec<String> = runs
        .map(|run| match run {
            [first, .., last] => format!("{first} to {last}"),
            _ => run.iter().map(u32::to_string).collect(),
        })
        .collect();
    texts.join(", ")
}

/// A field's full name.
pub(super) fn name(field: &Field) -> String {
    format!("{}.{}", field.word.name(), field.name)
}

/// The named values of a field.
fn values(field: &Field) -> String {
    codes(field.values)
}

fn codes(codes: &[Code]) -> String {
    let list: Vec<String> =
        codes.iter().map(|code| format!("{} {}", code.code, code.name)).collect();
    list.join(", ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_listed_as_ranges() {
        use super::ranges;
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[7]), "7");
        assert_eq!(ranges(&[0, 3, 4, 5, 9, 10]), "0, 3 to 5, 9 to 10");
    }
}
