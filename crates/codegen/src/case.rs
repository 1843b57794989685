//! Cases of tests of passes: the text of a form before a pass, and that of the form after it.

use crate::graph::Rules;
use crate::limits::Limit;
use crate::print::{Form, print};
use crate::read::{ReadError, read};
use crate::{emit, search};
use ctm_base::work::Work;
use ctm_lang::asm::{Style, disassemble};

/// The reason why a case has no form after its pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// The form before the pass.
    #[error("{0}")]
    Read(ReadError),
    /// The name of the pass.
    #[error(
        "{0:?}: expected `rules`, `motion`, `select`, `schedule` or `emit`, `exact ` before it"
    )]
    Pass(String),
    /// The machine or the compiler has no room.
    #[error("more than {0}")]
    Limit(Limit),
}

/// The form after a pass: `rules`, `motion`, `select`, `schedule` or `emit`, with `exact ` only by rules that keep each bit.
/// `before` is the graph with its blocks, as [`read`] takes it.
///
/// # Errors
/// The form or the pass cannot be read, or the program is too large.
pub fn after(pass: &str, before: &str, work: &Work<'_>) -> Result<String, CaseError> {
    let (rules, name) = match pass.strip_prefix("exact ") {
        Some(name) => (Rules::Exact, name),
        None => (Rules::All, pass),
    };
    let form = match name {
        "rules" => Some(Form::Graph),
        "motion" => Some(Form::Placed),
        "select" => Some(Form::Selected),
        "schedule" => Some(Form::Schedule),
        "emit" => None,
        _ => return Err(CaseError::Pass(pass.to_string())),
    };
    let ir = read(before, rules, name == "rules").map_err(CaseError::Read)?;
    let exceeded = |exceeded: crate::limits::Exceeded| CaseError::Limit(exceeded.limit);
    let schedule = search::best(&ir, false, work).map_err(exceeded)?;
    if let Some(form) = form {
        return print(&ir, &schedule, form, "", work).map_err(exceeded);
    }
    let image = emit::emit(&ir, &schedule, "case", "", false).map_err(exceeded)?;
    let listing = disassemble(&image, Style::Friendly);
    let counts = |line: &&str| !line.starts_with(['.', '#']) || line.starts_with(".literal");
    Ok(listing.lines().filter(counts).map(|line| format!("{line}\n")).collect())
}
