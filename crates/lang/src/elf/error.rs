//! The errors of executables.

/// Errors of bytes that are not a CTM executable. Each message names the field, its value, the
/// expected value and the offset in the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ElfError {
    /// A part of the file that is not what an executable has there.
    #[error("{what} at offset {offset:#x} {problem}")]
    Invalid {
        /// The part: a field, a note, an entry of a note.
        what: String,
        /// Its offset in the file.
        offset: usize,
        /// Its value, and the expected one.
        problem: String,
    },
    /// A part that is not wholly inside the file.
    #[error(
        "{field} at offset {offset:#x} is {value:#x}: with it {what} of {size} bytes ends at {end:#x}, expected at most {available:#x}, the end of the file"
    )]
    OutOfRange {
        /// The field that says where the part is.
        field: &'static str,
        /// The offset of the field in the file.
        offset: usize,
        /// The value of the field.
        value: u64,
        /// The part.
        what: String,
        /// Its length in bytes.
        size: u64,
        /// Its end.
        end: u64,
        /// The length of the file.
        available: usize,
    },
    /// The required note is missing.
    #[error(
        "none of the {notes} notes holds program information, expected one named \"ATI DPP\" of type 1"
    )]
    NoProgramInformation {
        /// The number of notes.
        notes: usize,
    },
}

/// [`ElfError::Invalid`].
pub(super) fn invalid(
    what: impl Into<String>,
    offset: usize,
    problem: impl Into<String>,
) -> ElfError {
    ElfError::Invalid { what: what.into(), offset, problem: problem.into() }
}

/// The error for a note of CAL.
pub(super) fn cal(offset: usize) -> ElfError {
    let problem = "is named \"ATI CAL\", expected \"ATI DPP\": this is an executable for CAL, the successor of CTM, not a CTM program";
    invalid("the note", offset, problem)
}
