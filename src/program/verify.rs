//! Which programs are valid, and what is odd about valid ones.

use super::Image;
use crate::isa::Instruction;

/// One reason why a program is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VerifyError(pub String);

/// All reasons why a program is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} error(s)", .0.len())]
pub struct VerifyErrors(pub Vec<VerifyError>);

/// Something odd in a valid program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The instruction; `None` for the program as a whole.
    pub pc: Option<u32>,
    /// What is odd.
    pub text: String,
}

/// Checks an image; the warnings if it is valid.
pub(super) fn verify(
    _image: &Image,
    _instructions: &[Instruction],
) -> Result<Vec<Warning>, VerifyErrors> {
    Ok(Vec::new())
}
