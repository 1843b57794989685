//! The errors of refused programs, and the warnings of accepted ones.

use super::SourceRef;
use ctm_isa::isa::{Code, Field};
use std::fmt;

/// One reason why a program is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{text}", .pc.map(|pc| format!("pc {pc}: ")).unwrap_or_default())]
pub struct VerifyError {
    /// The slot of the instruction, if it is about one.
    pub pc: Option<u32>,
    /// The field of the instruction whose value is refused, the first one if there are two.
    pub field: Option<&'static Field>,
    /// The field, its value and the allowed ones.
    pub text: String,
}

/// All reasons why a program is refused, in pc order. A long list is cut; its last entry then says
/// how many are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyErrors {
    /// The reasons.
    pub errors: Vec<VerifyError>,
    /// The places of the instructions in the source.
    pub source: SourceRef,
}

impl std::error::Error for VerifyErrors {}

impl VerifyErrors {
    /// Each error as one line, which begins with its place in the source, if that is known.
    pub fn texts(&self) -> Vec<String> {
        let text = |error: &VerifyError| {
            let map = self.source.get().zip(error.pc);
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
    /// The places of the instructions in the source.
    pub source: SourceRef,
    /// Its text.
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

/// Codes with their names.
pub(super) fn codes(codes: &[Code]) -> String {
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
