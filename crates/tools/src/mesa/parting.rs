//! The first instruction of the machine code that does not what its listing says, at one point.
//!
//! The last listing and the code have the same instructions, so they run side by side.

use super::interpret::Step;
use super::listing::{File, Line, Statement};
use super::number::Number;
use super::outcome::{Options, close};
use ctm_machine::engine::reference::TraceStep;
use serde::Serialize;

/// The first instruction whose result differs from its listing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parting {
    /// The slot of the instruction.
    pub pc: u32,
    /// Its text.
    pub text: String,
    /// The line of its listing, in the log, from 1.
    pub line: usize,
    /// The difference, human-readable.
    pub what: String,
    /// The instructions around it: their indices in the listing and in the code.
    #[serde(skip)]
    pub around: Vec<(usize, usize)>,
}

/// Instructions before and after the one that parts, in [`Parting::around`].
const AROUND: usize = 2;

/// The first difference of the steps of a listing and of its machine code; `None` if there is none, or the code
/// has other instructions than the listing.
pub fn parting(
    lines: &[Line],
    steps: &[Step],
    code: &[TraceStep],
    instructions: usize,
    options: &Options,
) -> Option<Parting> {
    let coded: Vec<usize> =
        (0..lines.len()).filter(|&n| lines[n].statement != Statement::Nothing).collect();
    if coded.len() != instructions {
        return None;
    }
    let computes = |index: usize| {
        matches!(
            lines[index].statement,
            Statement::Compute(_) | Statement::Fetch(_) | Statement::Kill(_)
        )
    };
    let index = |step: &TraceStep| coded.get(step.pc as usize).copied();
    let listed = steps.iter().filter(|step| computes(step.statement));
    let mut coded_steps =
        code.iter().filter(|step| step.inactive.is_none() && index(step).is_some_and(computes));
    let at = |step: &TraceStep, what: String| {
        let (line, pc) = (lines[index(step)?].number, step.pc as usize);
        let around =
            (pc.saturating_sub(AROUND)..).zip(coded.iter().skip(pc.saturating_sub(AROUND)));
        let around = around.take_while(|(other, _)| *other <= pc + AROUND);
        let around = around.map(|(other, &index)| (index, other)).collect();
        Some(Parting { pc: step.pc, text: step.text.clone(), line, what, around })
    };
    let mut last: Option<&TraceStep> = None;
    for listed in listed {
        let line = lines[listed.statement].number;
        let Some(step) = coded_steps.next() else {
            return at(
                last?,
                format!("is the last one of the point; the listing goes on to line {line}"),
            );
        };
        if index(step) != Some(listed.statement) {
            let (other, before) = (lines[index(step)?].number, last.unwrap_or(step));
            return at(
                before,
                format!("is followed by line {other} of the listing, expected line {line}"),
            );
        }
        if let Some(what) = differs(listed, step, options) {
            return at(step, what);
        }
        last = Some(step);
    }
    let more = coded_steps.next()?;
    at(more, "runs, and the listing has ended".to_string())
}

/// The difference between the writes of an instruction and its listing.
fn differs(listed: &Step, step: &TraceStep, options: &Options) -> Option<String> {
    // The machine's writes do not show the depth.
    let mut expected = listed.written.clone();
    expected.retain(|(file, ..)| *file != File::Depth);
    for value in &step.written {
        for lane in &value.lanes {
            let channel = lane.channel.and_then(|channel| "rgba".find(channel)).unwrap_or(0) as u8;
            let flag = value.of == "ALU result";
            let is_temp = value.of.starts_with('r');
            let place =
                format!("{}{}", value.of, lane.channel.map_or(String::new(), |c| format!(".{c}")));
            let known = expected.iter().position(|&(file, other, _)| match file {
                File::AluResult => flag,
                File::Temp => is_temp && other == channel,
                _ => !is_temp && !flag && other == channel,
            });
            let got = lane.value;
            let Some(known) = known else {
                return Some(format!("writes {got:?} to {place}, the listing nothing"));
            };
            let (.., Number { bits, exact }) = expected.swap_remove(known);
            let Some(want) = bits.map(f32::from_bits) else { continue };
            let same = got == want || got.is_nan() && want.is_nan();
            if !same && (exact || !close(want, got, options)) {
                return Some(format!("writes {got:?} to {place}, the listing {want:?}"));
            }
        }
    }
    let (file, channel, number) = expected.first()?;
    let want = f32::from_bits(number.bits?);
    let place = format!("{file:?}.{}", ["r", "g", "b", "a"][usize::from(*channel)]).to_lowercase();
    Some(format!("writes nothing to {place}, the listing {want:?}"))
}
