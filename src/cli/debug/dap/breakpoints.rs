//! Breakpoints of an editor as stops of the session. A request replaces all of its kind.

use super::requests::{
    DataBreakpoint, ExceptionBreakpoints, FunctionBreakpoint, InstructionBreakpoint, Named,
    SetBreakpoints, When, arguments,
};
use super::sources::Sources;
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
    /// Removes the stops of a kind.
    fn clear(&mut self, session: &mut Session<'_>, kind: &Kind) {
        for id in self.0.remove(kind).unwrap_or_default() {
            // A command may have removed it already.
            let _ = session.remove_stop(id);
        }
    }

    /// Why a run came to a halt at a stop, as the protocol names it.
    pub fn reason(&self, id: u32) -> &'static str {
        let kind = self.0.iter().find(|(_, ids)| ids.contains(&id)).map(|(kind, _)| kind);
        match kind {
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
            let hit = hit.map(|text| {
                let number = text.trim().parse().ok().filter(|&n: &u64| n > 0);
                number.ok_or_else(|| {
                    format!("hitCondition: expected the number of a hit, from 1, found `{text}`")
                })
            });
            let hit = hit.transpose()?;
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

    /// setBreakpoints.
    pub fn source(
        &mut self,
        session: &mut Session<'_>,
        sources: &Sources<'_>,
        first_line: u32,
        value: &Value,
    ) -> Result<Value, String> {
        let request: SetBreakpoints = arguments(value)?;
        let source = &request.source;
        let path = source.path.as_ref().map(|path| path.to_string_lossy().into_owned());
        let key = match source.source_reference {
            0 => path.unwrap_or_default(),
            n => format!("\0{n}"),
        };
        let kind = Kind::Source(key);
        self.clear(session, &kind);
        let which = sources.find(source);
        let mut answers = Vec::new();
        for wanted in &request.breakpoints {
            let found = which.as_ref().map_err(Clone::clone).and_then(|which| {
                let line = line_of(wanted.line, first_line)?;
                // A line without instructions stands for the next one that has some.
                sources
                    .place_from(which, line)
                    .ok_or_else(|| "no instruction comes from this line or a later one".to_string())
            });
            let line = found.as_ref().ok().map(|(_, line)| *line);
            let cause = found.map(|(place, _)| Cause::At(place));
            let mut answer = self.add(session, kind.clone(), cause, &wanted.when);
            if let Some(line) = line {
                answer["line"] = (line - 1 + first_line).into();
            }
            answers.push(answer);
        }
        Ok(json!({ "breakpoints": answers }))
    }

    /// setFunctionBreakpoints: labels.
    pub fn function(&mut self, session: &mut Session<'_>, value: &Value) -> Result<Value, String> {
        let request: Named<FunctionBreakpoint> = arguments(value)?;
        self.clear(session, &Kind::Function);
        let mut answers = Vec::new();
        for wanted in &request.breakpoints {
            let place = Place::parse(wanted.name.trim());
            let cause = place.map(Cause::At).ok_or_else(|| "the name is empty".to_string());
            answers.push(self.add(session, Kind::Function, cause, &wanted.when));
        }
        Ok(json!({ "breakpoints": answers }))
    }

    /// setInstructionBreakpoints.
    pub fn instruction(
        &mut self,
        session: &mut Session<'_>,
        value: &Value,
    ) -> Result<Value, String> {
        let request: Named<InstructionBreakpoint> = arguments(value)?;
        self.clear(session, &Kind::Instruction);
        let mut answers = Vec::new();
        for wanted in &request.breakpoints {
            let cause = instruction(&wanted.instruction_reference).and_then(|pc| {
                let pc = pc.checked_add(wanted.offset).and_then(|pc| u32::try_from(pc).ok());
                pc.map(|pc| Cause::At(Place::Pc(pc))).ok_or_else(|| "no such address".to_string())
            });
            answers.push(self.add(session, Kind::Instruction, cause, &wanted.when));
        }
        Ok(json!({ "breakpoints": answers }))
    }

    /// setDataBreakpoints: watches.
    pub fn data(&mut self, session: &mut Session<'_>, value: &Value) -> Result<Value, String> {
        let request: Named<DataBreakpoint> = arguments(value)?;
        self.clear(session, &Kind::Data);
        let mut answers = Vec::new();
        for wanted in &request.breakpoints {
            let cause = match wanted.access_type.as_deref() {
                None | Some("write") => Ok(Cause::Change(wanted.data_id.clone())),
                Some(other) => Err(format!("accessType: expected \"write\", found \"{other}\"")),
            };
            answers.push(self.add(session, Kind::Data, cause, &wanted.when));
        }
        Ok(json!({ "breakpoints": answers }))
    }

    /// setExceptionBreakpoints: events.
    pub fn exception(&mut self, session: &mut Session<'_>, value: &Value) -> Result<Value, String> {
        let request: ExceptionBreakpoints = arguments(value)?;
        let plain = request.filters.iter().map(|filter| (filter, None));
        let options = &request.filter_options;
        let options = options.iter().map(|option| (&option.filter_id, option.condition.clone()));
        let mut wanted = Vec::new();
        for (name, condition) in plain.chain(options) {
            let Some((_, _, cause)) = FILTERS.iter().find(|(known, ..)| known == name) else {
                let known = FILTERS.map(|(name, ..)| name).join(", ");
                return Err(format!("there is no filter \"{name}\"; the filters are {known}"));
            };
            wanted.push((cause.clone(), When { condition, hit_condition: None }));
        }
        self.clear(session, &Kind::Exception);
        let mut answers = Vec::new();
        for (cause, when) in wanted {
            answers.push(self.add(session, Kind::Exception, Ok(cause), &when));
        }
        Ok(json!({ "breakpoints": answers }))
    }
}
