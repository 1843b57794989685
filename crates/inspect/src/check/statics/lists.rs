//! The container's lists, compared with the program's instructions.

use super::{Finding, Subject};
use crate::check::code::Code;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let program = subject.program;
    let (image, uses) = (program.image(), program.uses());
    let mut texts = program.unlisted();
    let inputs = image
        .inputs
        .iter()
        .flatten()
        .filter(|n| uses.inputs.checked_shr(**n).is_none_or(|bits| bits & 1 == 0));
    texts.extend(
        inputs.map(|n| format!("the container lists input {n}, which the program does not fetch")),
    );
    match image.conditional_output {
        Some(true) if !uses.conditional_output => texts.push(
            "the container says that the program writes its own conditional value; no instruction does"
                .to_string(),
        ),
        Some(false) if uses.conditional_output => texts.push(
            "the program writes its own conditional value, which the container denies".to_string(),
        ),
        _ => {}
    }
    let finding = |text: String| {
        Finding::new(Code::WrongNotes, None, text.clone(), text)
            .help("a loader gives a program only what its container lists")
    };
    texts.into_iter().map(finding).collect()
}
