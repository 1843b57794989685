//! `ctm debug --dap`: a session behind the Debug Adapter Protocol, over standard input and output.
//! Each request is a call of the session.
//!
//! * `wire`: messages; `requests`: their arguments.
//! * `sources`, `breakpoints`, `variables`: what editors call these.

mod breakpoints;
mod requests;
mod sources;
mod variables;
mod wire;

use super::super::Exit;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use breakpoints::{Breakpoints, FILTERS};
use ctm::debug::{
    DebugError, Direction, Expression, Goal, Halt, Place, Plan, Session, Verb, complete, execute,
};
use ctm::engine::Stop;
use ctm::job::{Job, RunOptions, SharedFiles};
use requests::{
    Completions, DataBreakpointInfo, Disassemble, Evaluate, Frame, Goto, Initialize, Launch, Lines,
    ReadMemory, SourceText, StackTrace, Thread, Variables, arguments,
};
use serde_json::{Value, json};
use sources::Sources;
use std::io::{self, BufReader, Stdout, stdin, stdout};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use variables::{Parent, References};
use wire::{Interrupts, Message, Output, Request};

/// The most instructions or bytes that one request gets.
const MOST: u64 = 65_536;

/// Frames of a point: their numbers are below this.
const FRAMES: usize = 256;

/// Serves one client until it disconnects.
pub fn run(files: SharedFiles, options: RunOptions) -> anyhow::Result<Exit> {
    let (send, requests) = channel();
    let interrupts = Arc::new(Interrupts::default());
    let arrived = interrupts.clone();
    std::thread::spawn(move || {
        let mut from = BufReader::new(stdin());
        loop {
            let message = wire::read(&mut from).transpose();
            let Some(message) = message else {
                break;
            };
            if let Ok(message) = &message {
                arrived.arrived(message);
            }
            let is_last = message.is_err();
            if send.send(message).is_err() || is_last {
                break;
            }
        }
    });
    let mut adapter = Adapter {
        out: Output::new(stdout()),
        requests,
        interrupts,
        files,
        options,
        first_line: 1,
        first_column: 1,
    };
    match adapter.serve() {
        Ok(()) => Ok(Exit::Done),
        // The client is gone.
        Err(error) if super::super::output::is_closed_pipe(&error) => Ok(Exit::Done),
        Err(error) => Err(error),
    }
}

/// The connection to the client.
struct Adapter {
    out: Output<Stdout>,
    requests: Receiver<anyhow::Result<Message>>,
    interrupts: Arc<Interrupts>,
    files: SharedFiles,
    options: RunOptions,
    /// The numbers that the client gives the first line and column.
    first_line: u32,
    first_column: u32,
}

impl Adapter {
    /// The next request; `None` at the end of the input.
    fn next(&mut self) -> anyhow::Result<Option<Request>> {
        loop {
            let Ok(message) = self.requests.recv() else {
                return Ok(None);
            };
            let message = message?;
            self.interrupts.handled(&message);
            match message {
                Message::Request(request) => return Ok(Some(request)),
                Message::Strange(why) => self.tell(&why)?,
            }
        }
    }

    /// A line for the user.
    fn tell(&mut self, text: &str) -> io::Result<()> {
        let body = json!({ "category": "stderr", "output": format!("{text}\n") });
        self.out.event("output", body)
    }

    fn stop(&self) -> Stop {
        Stop::on(self.interrupts.flag())
    }

    /// Answers requests until a job is loaded, then debugs it.
    fn serve(&mut self) -> anyhow::Result<()> {
        let mut initialized = false;
        while let Some(request) = self.next()? {
            let result = match &*request.command {
                "initialize" if !initialized => match self.initialize(&request.arguments) {
                    Ok(body) => {
                        initialized = true;
                        Ok(body)
                    }
                    Err(why) => Err(why),
                },
                "initialize" => Err("initialize came before".to_string()),
                "disconnect" => {
                    self.out.answer(&request, Ok(Value::Null))?;
                    return Ok(());
                }
                _ if !initialized => Err("initialize has to come first".to_string()),
                "launch" => match self.load(&request.arguments) {
                    Ok((plan, warnings, stop_on_entry)) => match Session::new(&plan, self.stop()) {
                        Ok(session) => {
                            self.out.answer(&request, Ok(Value::Null))?;
                            for warning in &warnings {
                                self.tell(&format!("warning: {warning}"))?;
                            }
                            self.out.event("initialized", Value::Null)?;
                            return self.debug(&plan, session, stop_on_entry);
                        }
                        Err(error) => Err(error.to_string()),
                    },
                    Err(why) => Err(why),
                },
                "attach" => Err("attach: use launch; jobs run in the adapter".to_string()),
                other => Err(format!("{other}: launch has to come first")),
            };
            self.out.answer(&request, result)?;
        }
        Ok(())
    }

    fn initialize(&mut self, value: &Value) -> Result<Value, String> {
        let request: Initialize = arguments(value)?;
        self.first_line = request.lines_start_at1.into();
        self.first_column = request.columns_start_at1.into();
        let filters = FILTERS.map(|(filter, label, _)| {
            json!({
                "filter": filter,
                "label": label,
                "default": filter == "fault",
                "supportsCondition": true,
                "conditionDescription": "An expression at the point that is looked at",
            })
        });
        let mut capabilities = json!({ "exceptionBreakpointFilters": filters });
        for name in [
            "supportsConfigurationDoneRequest",
            "supportsFunctionBreakpoints",
            "supportsConditionalBreakpoints",
            "supportsHitConditionalBreakpoints",
            "supportsEvaluateForHovers",
            "supportsStepBack",
            "supportsGotoTargetsRequest",
            "supportsCompletionsRequest",
            "supportsRestartRequest",
            "supportsExceptionFilterOptions",
            "supportsExceptionInfoRequest",
            "supportsLoadedSourcesRequest",
            "supportsTerminateRequest",
            "supportsDataBreakpoints",
            "supportsReadMemoryRequest",
            "supportsDisassembleRequest",
            "supportsBreakpointLocationsRequest",
            "supportsInstructionBreakpoints",
            "supportsSteppingGranularity",
        ] {
            capabilities[name] = true.into();
        }
        Ok(capabilities)
    }

    fn load(&self, value: &Value) -> Result<(Plan, Vec<String>, bool), String> {
        let request: Launch = arguments(value)?;
        let job = Job::read_shared(&request.program, &self.files).map_err(|e| e.to_string())?;
        let plan = Plan::of_job(&job, &self.options).map_err(|e| e.to_string())?;
        Ok((plan, job.warnings, request.stop_on_entry))
    }

    /// Debugs a job until the client disconnects.
    fn debug<'p>(
        &mut self,
        plan: &'p Plan,
        session: Session<'p>,
        stop_on_entry: bool,
    ) -> anyhow::Result<()> {
        let mut debugged = Debugged {
            session,
            sources: Sources::new(plan.images()),
            breakpoints: Breakpoints::default(),
            references: References::default(),
            configured: false,
            stop_on_entry,
            first_line: self.first_line,
            first_column: self.first_column,
            targets: Vec::new(),
            exception: String::new(),
        };
        while let Some(request) = self.next()? {
            match debugged.request(&request) {
                Err(why) => self.out.answer(&request, Err(why))?,
                Ok(Answer::Body(body)) => self.out.answer(&request, Ok(body))?,
                Ok(Answer::Moves(body, motion)) => {
                    self.out.answer(&request, Ok(body))?;
                    self.moved(&mut debugged, motion)?;
                }
                Ok(Answer::Moved(body, over)) => {
                    self.out.answer(&request, Ok(body))?;
                    if over {
                        self.out.event("terminated", Value::Null)?;
                    } else {
                        self.out.event("stopped", debugged.stopped("goto", None))?;
                    }
                }
                Ok(Answer::Over) => {
                    self.out.answer(&request, Ok(Value::Null))?;
                    self.out.event("terminated", Value::Null)?;
                }
                Ok(Answer::End) => {
                    self.out.answer(&request, Ok(Value::Null))?;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Moves, and says where the session stopped.
    fn moved(&mut self, debugged: &mut Debugged<'_>, motion: Motion) -> anyhow::Result<()> {
        let before = debugged.session.position();
        debugged.references.clear();
        let (goal, result) = debugged.run(&motion);
        if matches!(motion, Motion::Run(Direction::Forward, Goal::Job))
            && result == Ok(Halt::End)
            && debugged.session.position() == before
        {
            self.out.event("exited", json!({ "exitCode": 0 }))?;
            self.out.event("terminated", Value::Null)?;
            return Ok(());
        }
        let event = match result {
            Ok(Halt::Goal) => debugged.stopped(goal, None),
            Ok(Halt::End) => debugged.stopped("end", Some("The job has ended".to_string())),
            Ok(Halt::Start) => debugged.stopped("start", Some("The job begins".to_string())),
            Ok(Halt::Stops(stops)) => {
                let first = stops.first().map_or(0, |(id, _)| *id);
                let texts: Vec<&str> = stops.iter().map(|(_, text)| text.as_str()).collect();
                let text = texts.join("; ");
                debugged.exception.clone_from(&text);
                let mut event = debugged.stopped(debugged.breakpoints.reason(first), Some(text));
                event["hitBreakpointIds"] = stops.iter().map(|(id, _)| *id).collect();
                event
            }
            Err(_) if self.interrupts.is_set() => debugged.stopped("pause", None),
            Err(error) => {
                self.tell(&error.to_string())?;
                debugged.exception = error.to_string();
                debugged.stopped("exception", Some(error.to_string()))
            }
        };
        self.out.event("stopped", event)?;
        Ok(())
    }
}

/// What follows a request.
enum Answer {
    Body(Value),
    /// The session moves after the response.
    Moves(Value, Motion),
    /// A command has moved it, or ended it.
    Moved(Value, bool),
    /// The client is told that the job has ended.
    Over,
    /// The client has disconnected.
    End,
}

/// A movement.
enum Motion {
    /// To the first instruction: a breakpoint may be there.
    Start,
    /// It is there.
    Entry,
    Run(Direction, Goal),
    Next(Direction),
    Finish,
    Goto(Place),
}

/// A session and what the client knows of it.
struct Debugged<'p> {
    session: Session<'p>,
    sources: Sources<'p>,
    breakpoints: Breakpoints,
    references: References,
    /// Whether configurationDone has come.
    configured: bool,
    stop_on_entry: bool,
    first_line: u32,
    first_column: u32,
    /// The places that `goto` can go to, by their number from 1.
    targets: Vec<Place>,
    /// What the last event or error was.
    exception: String,
}

/// A line of the client as one that counts from 1.
fn line_of(line: i64, first: u32) -> Result<u32, String> {
    let counted = line.checked_sub(i64::from(first)).and_then(|n| n.checked_add(1));
    let counted = counted.and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0);
    counted.ok_or_else(|| format!("line {line}: expected {first} or more"))
}

/// The instruction of an address: decimal, or hexadecimal after `0x`. Its pc is its address.
fn instruction(text: &str) -> Result<i64, String> {
    address(text).map(|address| address as i64)
}

/// An address: decimal, or hexadecimal after `0x`.
fn address(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    number.map_err(|_| format!("memoryReference: expected an address such as 0x1a, found `{text}`"))
}

impl Debugged<'_> {
    fn run(&mut self, motion: &Motion) -> (&'static str, Result<Halt, DebugError>) {
        match motion {
            Motion::Entry => ("entry", Ok(Halt::Goal)),
            Motion::Start => match self.session.breaks_here() {
                hits if !hits.is_empty() => ("breakpoint", Ok(Halt::Stops(hits))),
                _ => ("step", self.session.run(Direction::Forward, &Goal::Job)),
            },
            Motion::Run(direction, goal) => ("step", self.session.run(*direction, goal)),
            Motion::Next(direction) => ("step", self.session.next(*direction)),
            Motion::Finish => ("step", self.session.finish(Direction::Forward)),
            Motion::Goto(place) => ("goto", self.session.go_to_place(place).map(|()| Halt::Goal)),
        }
    }

    /// How a launch goes on from the first instruction.
    fn entry(&self) -> Motion {
        if self.stop_on_entry { Motion::Entry } else { Motion::Start }
    }

    /// The body of a stopped event.
    fn stopped(&self, reason: &str, text: Option<String>) -> Value {
        let mut body = json!({
            "reason": reason,
            "threadId": self.session.slot() + 1,
            "allThreadsStopped": true,
        });
        if let Some(text) = text {
            body["description"] = text.as_str().into();
            body["text"] = text.into();
        }
        body
    }

    /// The slot of a thread.
    fn slot_of(&self, thread: i64) -> Result<usize, String> {
        let started = self.session.moment().group.started();
        let slot = usize::try_from(thread).ok().and_then(|n| n.checked_sub(1));
        slot.filter(|&slot| slot < 64 && started >> slot & 1 != 0)
            .ok_or_else(|| format!("threadId {thread}: there is no such point in the group"))
    }

    /// The slot and the number of a frame.
    fn frame_of(&self, frame: i64) -> Result<(usize, usize), String> {
        let missing = || format!("frameId {frame}: there is none");
        let n = usize::try_from(frame).map_err(|_| missing())?;
        let slot = self.slot_of((n / FRAMES) as i64).map_err(|_| missing())?;
        match n % FRAMES <= self.session.moment().group.calls().len() {
            true => Ok((slot, n % FRAMES)),
            false => Err(missing()),
        }
    }

    /// Looks at the point of a slot of the group.
    fn look_at(&mut self, slot: usize) -> Result<(), String> {
        let (i, j) = self.session.moment().group.point(slot);
        self.session.look_at(i, j).map_err(|error| error.to_string())
    }

    /// Does something with another point of the group looked at.
    fn at<T>(&mut self, slot: usize, act: impl FnOnce(&mut Self) -> T) -> Result<T, String> {
        let before = self.session.slot();
        self.look_at(slot)?;
        let result = act(self);
        self.look_at(before)?;
        Ok(result)
    }

    fn moves(&mut self, thread: i64, motion: Motion) -> Result<Answer, String> {
        if !self.configured {
            return Err("configurationDone has to come first".to_string());
        }
        let slot = self.slot_of(thread)?;
        self.look_at(slot)?;
        Ok(Answer::Moves(Value::Null, motion))
    }

    fn request(&mut self, request: &Request) -> Result<Answer, String> {
        use Direction::{Back, Forward};
        let value = &request.arguments;
        let thread = || arguments(value).map(|Thread { thread_id }| thread_id);
        Ok(Answer::Body(match &*request.command {
            "initialize" | "launch" | "attach" => {
                return Err(format!("{} came before", request.command));
            }
            "configurationDone" => {
                if self.configured {
                    return Err("configurationDone came before".to_string());
                }
                self.configured = true;
                return Ok(Answer::Moves(Value::Null, self.entry()));
            }
            "disconnect" => return Ok(Answer::End),
            "terminate" => return Ok(Answer::Over),
            // Breakpoints and watches stay, with the hits that they have counted.
            "restart" => {
                self.session.go_to_start().map_err(|error| error.to_string())?;
                return Ok(Answer::Moves(Value::Null, self.entry()));
            }
            // What ran has stopped when this is handled.
            "pause" => thread().and_then(|thread| self.slot_of(thread)).map(|_| Value::Null)?,
            "continue" => {
                let answer = self.moves(thread()?, Motion::Run(Forward, Goal::Job))?;
                return Ok(match answer {
                    Answer::Moves(_, motion) => {
                        Answer::Moves(json!({ "allThreadsContinued": true }), motion)
                    }
                    answer => answer,
                });
            }
            "reverseContinue" => return self.moves(thread()?, Motion::Run(Back, Goal::Job)),
            "next" => return self.moves(thread()?, Motion::Next(Forward)),
            "stepBack" => return self.moves(thread()?, Motion::Next(Back)),
            "stepIn" => return self.moves(thread()?, Motion::Run(Forward, Goal::Steps(1))),
            "stepOut" => return self.moves(thread()?, Motion::Finish),
            "goto" => {
                let Goto { thread_id, target_id } = arguments(value)?;
                let n = usize::try_from(target_id).ok().and_then(|n| n.checked_sub(1));
                let place = n.and_then(|n| self.targets.get(n)).cloned();
                let missing = || format!("targetId {target_id}: there is none");
                let place = place.ok_or_else(missing)?;
                return self.moves(thread_id, Motion::Goto(place));
            }
            "gotoTargets" => self.goto_targets(value)?,
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(value)?,
            "scopes" => {
                let Frame { frame_id } = arguments(value)?;
                let (slot, _) = self.frame_of(frame_id)?;
                variables::scopes(&mut self.references, slot)
            }
            "variables" => {
                let request: Variables = arguments(value)?;
                let (slot, _) = self.references.get(request.variables_reference)?;
                self.at(slot, |this| {
                    variables::variables(&this.session, &mut this.references, &request)
                })??
            }
            "evaluate" => return self.evaluate(value),
            "completions" => self.completions(value)?,
            "exceptionInfo" => {
                self.slot_of(thread()?)?;
                if self.exception.is_empty() {
                    return Err("nothing has happened".to_string());
                }
                json!({
                    "exceptionId": "ctm",
                    "description": self.exception,
                    "breakMode": "always",
                })
            }
            "disassemble" => self.disassemble(value)?,
            "readMemory" => self.read_memory(value)?,
            "loadedSources" => json!({ "sources": self.sources.all() }),
            "source" => {
                let SourceText { source, source_reference } = arguments(value)?;
                let source = match source {
                    Some(source) => source,
                    None => requests::Source { path: None, source_reference },
                };
                let text = self.sources.text(&self.sources.find(&source)?)?;
                json!({ "content": &*text })
            }
            "breakpointLocations" => {
                let lines: Lines = arguments(value)?;
                let first = line_of(lines.line, self.first_line)?;
                let last = match lines.end_line {
                    Some(last) => line_of(last, self.first_line)?,
                    None => first,
                };
                let found = self.sources.lines(&self.sources.find(&lines.source)?);
                let shown = found.keys().filter(|line| (first..=last).contains(*line));
                let shown = shown.map(|line| json!({ "line": line - 1 + self.first_line }));
                json!({ "breakpoints": shown.collect::<Vec<_>>() })
            }
            "setBreakpoints" => {
                let first = self.first_line;
                self.breakpoints.source(&mut self.session, &self.sources, first, value)?
            }
            "setFunctionBreakpoints" => self.breakpoints.function(&mut self.session, value)?,
            "setInstructionBreakpoints" => {
                self.breakpoints.instruction(&mut self.session, value)?
            }
            "setDataBreakpoints" => self.breakpoints.data(&mut self.session, value)?,
            "setExceptionBreakpoints" => self.breakpoints.exception(&mut self.session, value)?,
            "dataBreakpointInfo" => self.data_breakpoint_info(value)?,
            other => return Err(format!("{other}: the adapter has no such request")),
        }))
    }

    fn threads(&self) -> Value {
        let group = self.session.moment().group;
        let slots = (0..64).filter(|slot| group.started() >> slot & 1 != 0);
        let thread = |slot: usize| {
            let (i, j) = group.point(slot);
            json!({ "id": slot + 1, "name": format!("point ({i}, {j}) {}", self.session.sign(slot)) })
        };
        json!({ "threads": slots.map(thread).collect::<Vec<_>>() })
    }

    fn stack_trace(&self, value: &Value) -> Result<Value, String> {
        let request: StackTrace = arguments(value)?;
        let slot = self.slot_of(request.thread_id)?;
        let moment = self.session.moment();
        let image = self.session.image();
        let calls = moment.group.calls();
        let pcs: Vec<u32> =
            std::iter::once(moment.group.pc()).chain(calls.iter().rev().copied()).collect();
        let frame = |(n, &pc): (usize, &u32)| {
            let has_ended = n == 0 && moment.end.is_some();
            let name = match image.words.get(pc as usize) {
                _ if has_ended => "the group has ended".to_string(),
                Some(words) => format!("{pc}: {}", ctm::asm::line(words)),
                None => format!("{pc}: no instruction"),
            };
            let mut frame =
                json!({ "id": (slot + 1) * FRAMES + n, "name": name, "line": 0, "column": 0 });
            if !has_ended && (pc as usize) < image.words.len() {
                let (source, line, column) = self.sources.place(image, pc);
                frame["source"] = source;
                frame["line"] = (line - 1 + self.first_line).into();
                frame["column"] = (column - 1 + self.first_column).into();
                frame["instructionPointerReference"] = format!("{pc:#x}").into();
            }
            frame
        };
        let levels = if request.levels == 0 { usize::MAX } else { request.levels };
        let all: Vec<Value> = pcs.iter().enumerate().map(frame).collect();
        let total = all.len();
        let part: Vec<Value> = all.into_iter().skip(request.start_frame).take(levels).collect();
        Ok(json!({ "stackFrames": part, "totalFrames": total }))
    }

    fn goto_targets(&mut self, value: &Value) -> Result<Value, String> {
        let lines: Lines = arguments(value)?;
        let line = line_of(lines.line, self.first_line)?;
        let found = self.sources.place_from(&self.sources.find(&lines.source)?, line);
        let Some((place, line)) = found else {
            return Ok(json!({ "targets": [] }));
        };
        let known = self.targets.iter().position(|known| *known == place);
        let n = known.unwrap_or_else(|| {
            self.targets.push(place.clone());
            self.targets.len() - 1
        });
        let line = line - 1 + self.first_line;
        Ok(json!({ "targets": [{ "id": n + 1, "label": place.to_string(), "line": line }] }))
    }

    /// An expression; in the console also a command, which may move the session.
    fn evaluate(&mut self, value: &Value) -> Result<Answer, String> {
        let request: Evaluate = arguments(value)?;
        let slot = match request.frame_id {
            Some(frame) => self.frame_of(frame)?.0,
            None => self.session.slot(),
        };
        let text = request.expression.trim();
        let word = text.split_whitespace().next().unwrap_or_default();
        let is_command = request.context.as_deref() == Some("repl") && Verb::of(word).is_some();
        if is_command {
            if !self.configured {
                return Err("configurationDone has to come first".to_string());
            }
            self.look_at(slot)?;
            let before = (self.session.position(), self.session.point());
            let reply = execute(&mut self.session, text).map_err(|error| error.to_string())?;
            let body = json!({ "result": reply.text.trim_end(), "variablesReference": 0 });
            let moved = (self.session.position(), self.session.point()) != before;
            if moved {
                self.references.clear();
            }
            return Ok(match moved || reply.over {
                true => Answer::Moved(body, reply.over),
                false => Answer::Body(body),
            });
        }
        let expression = Expression::parse(text, self.session.image())?;
        let value = self.at(slot, |this| this.session.evaluate(&expression))?;
        let value = value.map_err(|error| error.to_string())?;
        Ok(Answer::Body(json!({ "result": value.to_string(), "variablesReference": 0 })))
    }

    fn completions(&self, value: &Value) -> Result<Value, String> {
        let request: Completions = arguments(value)?;
        let column = request.column.checked_sub(self.first_column.into());
        let before = column.and_then(|n| usize::try_from(n).ok());
        let before = before.ok_or_else(|| format!("column {}: there is none", request.column))?;
        let line: String = request.text.chars().take(before).collect();
        let (start, words) = complete(&self.session, &line);
        let start = line[..start].chars().count();
        let length = line.chars().count() - start;
        let first = self.first_column as usize;
        let target =
            |word: String| json!({ "label": word, "start": start + first, "length": length });
        Ok(json!({ "targets": words.into_iter().map(target).collect::<Vec<_>>() }))
    }

    fn disassemble(&self, value: &Value) -> Result<Value, String> {
        let request: Disassemble = arguments(value)?;
        if request.instruction_count > MOST {
            return Err(format!(
                "instructionCount: {} is more than {MOST}",
                request.instruction_count
            ));
        }
        let image = self.session.image();
        let start = instruction(&request.memory_reference)?
            .wrapping_add(request.offset)
            .wrapping_add(request.instruction_offset);
        let line = |n: u64| {
            let pc = start.wrapping_add(n as i64);
            let address = format!("{:#x}", pc as u64);
            let words = usize::try_from(pc).ok().and_then(|pc| image.words.get(pc));
            let Some(words) = words else {
                return json!({
                    "address": address,
                    "instruction": "no instruction",
                    "presentationHint": "invalid",
                });
            };
            let bytes: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
            let (source, line, column) = self.sources.place(image, pc as u32);
            let mut instruction = json!({
                "address": address,
                "instructionBytes": bytes.join(" "),
                "instruction": ctm::asm::line(words),
                "location": source,
                "line": line - 1 + self.first_line,
                "column": column - 1 + self.first_column,
            });
            let label = ctm::program::NameKind::Label;
            if let Some(label) = image.name_of(label, pc as u32) {
                instruction["symbol"] = label.into();
            }
            instruction
        };
        let lines: Vec<Value> = (0..request.instruction_count).map(line).collect();
        Ok(json!({ "instructions": lines }))
    }

    fn read_memory(&self, value: &Value) -> Result<Value, String> {
        let request: ReadMemory = arguments(value)?;
        if request.count > MOST {
            return Err(format!("count: {} is more than {MOST}", request.count));
        }
        let start = address(&request.memory_reference)?.wrapping_add(request.offset as u64);
        let memory = self.session.memory();
        // As many bytes as there are from the address on.
        let has = |n: u64| {
            let at = u32::try_from(start).ok();
            n == 0 || at.is_some_and(|at| memory.contains(at, n as usize))
        };
        let (mut low, mut high) = (0, request.count);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if has(middle) { low = middle } else { high = middle - 1 }
        }
        let mut bytes = vec![0; low as usize];
        if low > 0 {
            memory.read(start as u32, &mut bytes).map_err(|error| error.to_string())?;
        }
        Ok(json!({
            "address": format!("{start:#x}"),
            "data": STANDARD.encode(&bytes),
            "unreadableBytes": request.count - low,
        }))
    }

    /// What can be watched: registers and their channels by their expression.
    fn data_breakpoint_info(&self, value: &Value) -> Result<Value, String> {
        let request: DataBreakpointInfo = arguments(value)?;
        let text = match request.variables_reference {
            0 => request.name.clone(),
            reference => match self.references.get(reference)?.1 {
                Parent::Channels(register) => {
                    let register = register.split('.').next().unwrap_or_default().to_string();
                    format!("{register}.{}", request.name)
                }
                Parent::Elements(is_input, n) => {
                    format!("{}{n}{}", if is_input { 'i' } else { 'o' }, request.name)
                }
                // The name is the register, and perhaps what the source calls it.
                Parent::Registers | Parent::Predicates | Parent::Outputs | Parent::Constants => {
                    request.name.split(' ').next().unwrap_or_default().to_string()
                }
                Parent::Surfaces => String::new(),
            },
        };
        let parsed = Expression::parse(&text, self.session.image());
        let value = parsed.and_then(|e| self.session.evaluate(&e).map_err(|e| e.to_string()));
        Ok(match value {
            Ok(_) => json!({
                "dataId": text,
                "description": text,
                "accessTypes": ["write"],
            }),
            Err(why) => json!({ "dataId": null, "description": why }),
        })
    }
}
