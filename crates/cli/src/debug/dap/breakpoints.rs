//! Breakpoints of an editor as stops of the session. A request replaces all of its kind.

use super::bodies::{Breakpoint, list};
use super::requests::{
    DataBreakpoint, ExceptionBreakpoints, FunctionBreakpoint, InstructionBreakpoint, Named,
    SetBreakpoints, SourceBreakpoint, When, arguments,
};
use super::sources::Sources;
use super::wire::Request;
use super::{address, line_of};
use anyhow::{Context, anyhow, bail};
use ctm_inspect::debug::{Cause, Location, Session};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// The exception filters: their names, labels, and the causes that they add.
pub const FILTERS: [(&str, &str, Cause); 4] = [
    ("nan", "A NaN from operands without one", Cause::Nan),
    ("fault", "Faults", Cause::Fault),
    ("finding", "Findings of ctm check", Cause::Finding(None)),
    ("divergence", "Divergence: points of the group take both ways", Cause::Divergence),
];

/// The breakpoints that a request replaces.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Source(String),
    Function,
    Instruction,
    Data,
    Exception,
}

/// The stops that requests have added, by kind.
#[derive(Default)]
pub struct Breakpoints(BTreeMap<Kind, Vec<u32>>);

impl Breakpoints {
    /// The reason of a halt at a stop, as the protocol names it.
    pub fn reason(&self, id: u32) -> &'static str {
        match self.0.iter().find(|(_, ids)| ids.contains(&id)).map(|(kind, _)| kind) {
            Some(Kind::Source(_)) | None => "breakpoint",
            Some(Kind::Function) => "function breakpoint",
            Some(Kind::Instruction) => "instruction breakpoint",
            Some(Kind::Data) => "data breakpoint",
            Some(Kind::Exception) => "exception",
        }
    }

    /// Adds a stop. The answer says whether it can stop, and why not.
    fn add(
        &mut self,
        session: &mut Session<'_>,
        kind: Kind,
        cause: anyhow::Result<Cause>,
        when: &When,
    ) -> Breakpoint {
        let added = cause.and_then(|cause| {
            let condition = when.condition.as_ref().map(|text| text.trim().to_string());
            let condition = condition.filter(|text| !text.is_empty());
            let hit = when.hit_condition.as_ref().filter(|text| !text.trim().is_empty());
            let number = |text: &String| {
                text.trim().parse().ok().filter(|&n: &u64| n > 0).with_context(|| {
                    format!("hitCondition: expected the number of a hit, from 1, found `{text}`")
                })
            };
            Ok(session.add_stop(cause, condition, hit.map(number).transpose()?)?)
        });
        match added {
            Ok(id) => {
                self.0.entry(kind).or_default().push(id);
                Breakpoint { id: Some(id), verified: true, ..Breakpoint::default() }
            }
            Err(why) => Breakpoint { message: Some(why.to_string()), ..Breakpoint::default() },
        }
    }

    /// Replaces the breakpoints of a kind, as a request says.
    ///
    /// # Errors
    /// If the request has a wrong argument.
    pub fn set(
        &mut self,
        session: &mut Session<'_>,
        sources: &Sources<'_>,
        first_line: u32,
        request: &Request,
    ) -> anyhow::Result<Value> {
        let (kind, wanted) = wanted(sources, first_line, request)?;
        for id in self.0.remove(&kind).unwrap_or_default() {
            // A command may have removed it already.
            let _ = session.remove_stop(id);
        }
        let answer = |Wanted { cause, when, line }| {
            let line = line.map(|line: u32| line - 1 + first_line);
            Breakpoint { line, ..self.add(session, kind.clone(), cause, &when) }
        };
        list("breakpoints", wanted.into_iter().map(answer))
    }
}

/// A breakpoint that a request asks for.
struct Wanted {
    cause: anyhow::Result<Cause>,
    when: When,
    /// The line where it is, from 1, if the request is about lines.
    line: Option<u32>,
}

/// The breakpoints of a request that is not about lines.
fn each<T: DeserializeOwned>(
    value: &Value,
    wanted: impl Fn(T) -> (anyhow::Result<Cause>, When),
) -> anyhow::Result<Vec<Wanted>> {
    let Named { breakpoints } = arguments(value)?;
    let of = |(cause, when)| Wanted { cause, when, line: None };
    Ok(breakpoints.into_iter().map(wanted).map(of).collect())
}

/// The breakpoints that a request asks for.
fn wanted(
    sources: &Sources<'_>,
    first_line: u32,
    request: &Request,
) -> anyhow::Result<(Kind, Vec<Wanted>)> {
    let value = &request.arguments;
    Ok(match &*request.command {
        "setBreakpoints" => {
            let SetBreakpoints { source, breakpoints } = arguments(value)?;
            let path = source.path.as_ref().map(|path| path.to_string_lossy().into_owned());
            let key = match source.source_reference {
                0 => path.unwrap_or_default(),
                n => format!("\0{n}"),
            };
            let which = sources.find(&source);
            let wanted = breakpoints.into_iter().map(|SourceBreakpoint { line, when }| {
                let which = which.as_ref().map_err(|error| anyhow!("{error}"));
                let found = which.and_then(|which| {
                    // A line without instructions stands for the next one that has some.
                    let found = sources.place_from(which, line_of(line, first_line)?);
                    found.context("no instruction comes from this line or a later one")
                });
                let line = found.as_ref().ok().map(|(_, line)| *line);
                Wanted { cause: found.map(|(place, _)| Cause::At(place)), when, line }
            });
            (Kind::Source(key), wanted.collect())
        }
        // Labels.
        "setFunctionBreakpoints" => {
            let label = |FunctionBreakpoint { name, when }| {
                let place = Location::parse(name.trim());
                (place.map(Cause::At).context("the name is empty"), when)
            };
            (Kind::Function, each(value, label)?)
        }
        "setInstructionBreakpoints" => {
            let instruction = |wanted: InstructionBreakpoint| {
                let cause = address(&wanted.instruction_reference).and_then(|pc| {
                    let pc = (pc as i64).checked_add(wanted.offset);
                    let pc = pc.and_then(|pc| u32::try_from(pc).ok()).context("no such address")?;
                    Ok(Cause::At(Location::Pc(pc)))
                });
                (cause, wanted.when)
            };
            (Kind::Instruction, each(value, instruction)?)
        }
        // Watches.
        "setDataBreakpoints" => {
            let watch = |DataBreakpoint { data_id, access_type, when }| {
                let cause = match access_type.as_deref() {
                    None | Some("write") => Ok(Cause::Change(data_id)),
                    Some(other) => {
                        Err(anyhow!("accessType: expected \"write\", found \"{other}\""))
                    }
                };
                (cause, when)
            };
            (Kind::Data, each(value, watch)?)
        }
        // Events.
        _ => {
            let ExceptionBreakpoints { filters, filter_options } = arguments(value)?;
            let plain = filters.into_iter().map(|filter| (filter, None));
            let options =
                filter_options.into_iter().map(|option| (option.filter_id, option.condition));
            let wanted = plain.chain(options).map(|(name, condition)| {
                let Some((_, _, cause)) = FILTERS.iter().find(|(known, ..)| *known == name) else {
                    let known = FILTERS.map(|(name, ..)| name).join(", ");
                    bail!("there is no filter \"{name}\"; the filters are {known}");
                };
                let (cause, when) = (Ok(cause.clone()), When { condition, hit_condition: None });
                Ok(Wanted { cause, when, line: None })
            });
            (Kind::Exception, wanted.collect::<anyhow::Result<_>>()?)
        }
    })
}
