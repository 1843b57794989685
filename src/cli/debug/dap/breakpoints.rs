//! Breakpoints of an editor as stops of the session. A request replaces all of its kind.

use super::requests::{
    DataBreakpoint, ExceptionBreakpoints, FunctionBreakpoint, InstructionBreakpoint, Named,
    SetBreakpoints, SourceBreakpoint, When, arguments,
};
use super::sources::Sources;
use super::wire::Request;
use super::{instruction, line_of};
use crate::debug::{Cause, Place, Session};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The exception filters: their names, labels, and the causes that they add.
pub const FILTERS: [(&str, &str, Cause); 4] = [
    ("nan", "A NaN from operands without one", Cause::Nan),
    ("fault", "Faults", Cause::Fault),
    ("finding", "Findings of ctm check", Cause::Finding(None)),
    ("divergence", "Divergence: points of the group take both ways", Cause::Divergence),
];

/// What a request replaces.
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
    /// Why a run came to a halt at a stop, as the protocol names it.
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
        cause: Result<Cause, String>,
        when: &When,
    ) -> Value {
        let added = cause.and_then(|cause| {
            let condition = when.condition.as_ref().map(|text| text.trim().to_string());
            let condition = condition.filter(|text| !text.is_empty());
            let hit = when.hit_condition.as_ref().filter(|text| !text.trim().is_empty());
            let number = |text: &String| {
                text.trim().parse().ok().filter(|&n: &u64| n > 0).ok_or_else(|| {
                    format!("hitCondition: expected the number of a hit, from 1, found `{text}`")
                })
            };
            let hit = hit.map(number).transpose()?;
            session.add_stop(cause, condition, hit).map_err(|error| error.to_string())
        });
        match added {
            Ok(id) => {
                self.0.entry(kind).or_default().push(id);
                json!({ "id": id, "verified": true })
            }
            Err(why) => json!({ "verified": false, "message": why }),
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
    ) -> Result<Value, String> {
        let (kind, wanted) = wanted(sources, first_line, request)?;
        for id in self.0.remove(&kind).unwrap_or_default() {
            // A command may have removed it already.
            let _ = session.remove_stop(id);
        }
        let answer = |Wanted { cause, when, line }| {
            let mut answer = self.add(session, kind.clone(), cause, &when);
            if let Some(line) = line {
                answer["line"] = (line - 1 + first_line).into();
            }
            answer
        };
        Ok(json!({ "breakpoints": wanted.into_iter().map(answer).collect::<Vec<_>>() }))
    }
}

/// A breakpoint that a request asks for.
struct Wanted {
    cause: Result<Cause, String>,
    when: When,
    /// The line where it is, from 1, if the request is about lines.
    line: Option<u32>,
}

/// The breakpoints that a request asks for.
fn wanted(
    sources: &Sources<'_>,
    first_line: u32,
    request: &Request,
) -> Result<(Kind, Vec<Wanted>), String> {
    let value = &request.arguments;
    let without_line = |(cause, when)| Wanted { cause, when, line: None };
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
                let found = which.as_ref().map_err(Clone::clone).and_then(|which| {
                    // A line without instructions stands for the next one that has some.
                    sources.place_from(which, line_of(line, first_line)?).ok_or_else(|| {
                        "no instruction comes from this line or a later one".to_string()
                    })
                });
                let line = found.as_ref().ok().map(|(_, line)| *line);
                Wanted { cause: found.map(|(place, _)| Cause::At(place)), when, line }
            });
            (Kind::Source(key), wanted.collect())
        }
        // Labels.
        "setFunctionBreakpoints" => {
            let request: Named<FunctionBreakpoint> = arguments(value)?;
            let wanted =
                request.breakpoints.into_iter().map(|FunctionBreakpoint { name, when }| {
                    let place = Place::parse(name.trim());
                    (place.map(Cause::At).ok_or_else(|| "the name is empty".to_string()), when)
                });
            (Kind::Function, wanted.map(without_line).collect())
        }
        "setInstructionBreakpoints" => {
            let request: Named<InstructionBreakpoint> = arguments(value)?;
            let wanted = request.breakpoints.into_iter().map(|wanted| {
                let cause = instruction(&wanted.instruction_reference).and_then(|pc| {
                    let pc = pc.checked_add(wanted.offset).and_then(|pc| u32::try_from(pc).ok());
                    pc.map(|pc| Cause::At(Place::Pc(pc))).ok_or("no such address".to_string())
                });
                (cause, wanted.when)
            });
            (Kind::Instruction, wanted.map(without_line).collect())
        }
        // Watches.
        "setDataBreakpoints" => {
            let request: Named<DataBreakpoint> = arguments(value)?;
            let wanted = request.breakpoints.into_iter().map(|wanted| {
                let cause = match wanted.access_type.as_deref() {
                    None | Some("write") => Ok(Cause::Change(wanted.data_id)),
                    Some(other) => {
                        Err(format!("accessType: expected \"write\", found \"{other}\""))
                    }
                };
                (cause, wanted.when)
            });
            (Kind::Data, wanted.map(without_line).collect())
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
                    return Err(format!("there is no filter \"{name}\"; the filters are {known}"));
                };
                Ok(without_line((Ok(cause.clone()), When { condition, hit_condition: None })))
            });
            (Kind::Exception, wanted.collect::<Result<_, _>>()?)
        }
    })
}
