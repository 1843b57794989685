//! `ctm debug --dap`: a session behind the Debug Adapter Protocol, over standard input and output.
//! Each request is a call of the session.
//!
//! * `wire`: messages; `requests`: their arguments; `bodies`: their bodies; `work`: runs during which requests are
//!   answered; `motion`: movements of the session.
//! * `sources`, `breakpoints`, `variables`: what editors call these; `queries`: requests that look.

mod bodies;
mod breakpoints;
mod motion;
mod queries;
mod requests;
mod sources;
mod variables;
mod wire;
mod work;

use super::super::Exit;
use anyhow::{Context, anyhow, bail};
use bodies::{Line, Stopped, list};
use breakpoints::{Breakpoints, FILTERS};
use ctm_engine::Stop;
use ctm_inspect::debug::{Direction, Goal, Location, Plan, Session};
use ctm_jobs::job::{Job, RunOptions, SharedFiles};
use motion::Motion;
use requests::{Frame, Goto, Initialize, Launch, Lines, SourceText, Thread, Variables, arguments};
use serde_json::{Value, json};
use sources::Sources;
use std::io::{self, Stdout, stdout};
use std::sync::Arc;
use variables::References;
use wire::{Output, Request};
use work::{Inputs, Meanwhile};

/// The most instructions or bytes that one request gets.
const MOST: u64 = 65_536;

/// Frames of a point: their numbers are below this.
const FRAMES: usize = 256;

/// The capabilities of the adapter: names without `supports`.
const CAPABILITIES: &str = "\
    ConfigurationDoneRequest FunctionBreakpoints ConditionalBreakpoints \
    HitConditionalBreakpoints EvaluateForHovers StepBack GotoTargetsRequest \
    CompletionsRequest RestartRequest ExceptionFilterOptions ExceptionInfoRequest \
    LoadedSourcesRequest TerminateRequest DataBreakpoints ReadMemoryRequest \
    DisassembleRequest BreakpointLocationsRequest InstructionBreakpoints \
    SteppingGranularity";

/// A loaded job: its plan, its warnings, and whether the session stops at its entry.
type Loaded = (Plan, Vec<String>, bool);

/// Serves one client until it disconnects.
pub fn run(files: SharedFiles, options: RunOptions) -> anyhow::Result<Exit> {
    let mut adapter = Adapter {
        out: Output::new(stdout()),
        inputs: Inputs::new(),
        files: Arc::new(files),
        options,
        first_line: 1,
        first_column: 1,
    };
    match adapter.serve() {
        // The client may be gone.
        Err(error) if !super::super::output::is_closed_pipe(&error) => Err(error),
        _ => Ok(Exit::Done),
    }
}

/// The connection to the client.
struct Adapter {
    out: Output<Stdout>,
    inputs: Inputs,
    files: Arc<SharedFiles>,
    options: RunOptions,
    /// The numbers that the client gives the first line and column.
    first_line: u32,
    first_column: u32,
}

impl Adapter {
    /// A line for the user.
    fn tell(&mut self, text: &str) -> io::Result<()> {
        let body = json!({ "category": "stderr", "output": format!("{text}\n") });
        self.out.event("output", body)
    }

    /// Answers requests until a job is loaded, then debugs it.
    fn serve(&mut self) -> anyhow::Result<()> {
        let mut initialized = false;
        while let Some(request) = self.next()? {
            let result = match &*request.command {
                "initialize" if initialized => Err(anyhow!("initialize came before")),
                "initialize" => self.initialize(&request.arguments).inspect(|_| initialized = true),
                "disconnect" => {
                    self.out.answer(&request, Ok(Value::Null))?;
                    return Ok(());
                }
                _ if !initialized => Err(anyhow!("initialize has to come first")),
                "launch" => match self.loaded(&request.arguments)? {
                    Ok((plan, warnings, stop_on_entry)) => {
                        let stop = Stop::on(self.inputs.flag());
                        let begin = || Session::new(&plan, stop);
                        match self.work(begin, |_, request| Ok(waits(request)))?.0 {
                            Ok(session) => {
                                self.out.answer(&request, Ok(Value::Null))?;
                                for warning in &warnings {
                                    self.tell(&format!("warning: {warning}"))?;
                                }
                                self.out.event("initialized", Value::Null)?;
                                return self.debug(&plan, session, stop_on_entry);
                            }
                            Err(error) => Err(error.into()),
                        }
                    }
                    Err(error) => Err(error),
                },
                "attach" => Err(anyhow!("attach: use launch; jobs run in the adapter")),
                other => Err(anyhow!("{other}: launch has to come first")),
            };
            self.out.answer(&request, result)?;
        }
        Ok(())
    }

    fn initialize(&mut self, value: &Value) -> anyhow::Result<Value> {
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
        for name in CAPABILITIES.split(' ') {
            capabilities[format!("supports{name}")] = true.into();
        }
        Ok(capabilities)
    }

    /// Loads a job, in a thread of its own, which a request can stop.
    fn loaded(&mut self, value: &Value) -> anyhow::Result<anyhow::Result<Loaded>> {
        let request: Launch = match arguments(value) {
            Ok(request) => request,
            Err(error) => return Ok(Err(error)),
        };
        let (stop, files) = (Stop::on(self.inputs.flag()), Arc::clone(&self.files));
        let options = self.options;
        let load = move || {
            let job = Job::read_shared(&request.program, &files, &stop)?;
            let plan = Plan::of_job(&job, &options)?;
            Ok((plan, job.warnings, request.stop_on_entry))
        };
        Ok(self.work(load, |_, request| Ok(waits(request)))?.0)
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
            over: false,
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
                    self.moved(&mut debugged, &motion)?;
                }
                Ok(Answer::Command(text)) => self.command(&mut debugged, &request, &text)?,
                Ok(Answer::Over) => {
                    self.out.answer(&request, Ok(Value::Null))?;
                    self.over(&mut debugged)?;
                }
                Ok(Answer::End) => {
                    self.out.answer(&request, Ok(Value::Null))?;
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// The treatment of a request that arrives while a session is made.
fn waits(request: &Request) -> Meanwhile {
    match &*request.command {
        "disconnect" => Meanwhile::Ends,
        _ => Meanwhile::Waits,
    }
}

/// The answer to a request.
enum Answer {
    Body(Value),
    /// The session moves after the response.
    Moves(Value, Motion),
    /// A command of the console, which may move the session.
    Command(String),
    /// The client learns that the job is over.
    Over,
    /// The client has disconnected.
    End,
}

/// A session and what the client knows of it.
struct Debugged<'p> {
    session: Session<'p>,
    sources: Sources<'p>,
    breakpoints: Breakpoints,
    references: References,
    /// Whether configurationDone has come.
    configured: bool,
    /// Whether the client knows that the job is over.
    over: bool,
    stop_on_entry: bool,
    first_line: u32,
    first_column: u32,
    /// The places that `goto` can go to, by their number from 1.
    targets: Vec<Location>,
    /// The text of the last event or error.
    exception: String,
}

/// A line of the client as one that counts from 1.
fn line_of(line: i64, first: u32) -> anyhow::Result<u32> {
    let counted = line.checked_sub(i64::from(first)).and_then(|n| n.checked_add(1));
    let counted = counted.and_then(|n| u32::try_from(n).ok()).filter(|&n| n > 0);
    counted.with_context(|| format!("line {line}: expected {first} or more"))
}

/// An address: decimal, or hexadecimal after `0x`. That of an instruction is its pc.
fn address(text: &str) -> anyhow::Result<u64> {
    let number = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    number.map_err(|_| anyhow!("memoryReference: expected an address such as 0x1a, found `{text}`"))
}

/// The place in a list of what a client numbers from 1.
fn index(number: i64) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

impl Debugged<'_> {
    /// The motion from the first instruction of a launch.
    fn entry(&self) -> Motion {
        if self.stop_on_entry { Motion::Entry } else { Motion::Start }
    }

    /// The body of a stopped event.
    fn stopped(&self, reason: &'static str, text: Option<String>) -> Stopped {
        let (thread_id, description) = (self.session.slot() + 1, text.clone());
        let body = Stopped { reason, thread_id, all_threads_stopped: true, ..Stopped::default() };
        Stopped { description, text, ..body }
    }

    /// The slot of a thread.
    fn slot_of(&self, thread: i64) -> anyhow::Result<usize> {
        let started = self.session.moment().group.started();
        let slot = index(thread).filter(|&slot| slot < 64 && started >> slot & 1 != 0);
        slot.with_context(|| format!("threadId {thread}: there is no such point in the group"))
    }

    /// The slot and the number of a frame.
    fn frame_of(&self, frame: i64) -> anyhow::Result<(usize, usize)> {
        let there = || {
            let n = usize::try_from(frame).ok()?;
            let slot = self.slot_of((n / FRAMES) as i64).ok()?;
            let there = n % FRAMES <= self.session.moment().group.calls().len();
            there.then_some((slot, n % FRAMES))
        };
        there().with_context(|| format!("frameId {frame}: there is none"))
    }

    /// Looks at the point of a slot of the group.
    fn look_at(&mut self, slot: usize) -> anyhow::Result<()> {
        let (i, j) = self.session.moment().group.point(slot);
        Ok(self.session.look_at(i, j)?)
    }

    /// Runs `act` while the session looks at another point of the group.
    fn at<T>(&mut self, slot: usize, act: impl FnOnce(&mut Self) -> T) -> anyhow::Result<T> {
        let before = self.session.slot();
        self.look_at(slot)?;
        let result = act(self);
        self.look_at(before)?;
        Ok(result)
    }

    /// Whether requests may move the session.
    fn may_move(&self) -> anyhow::Result<()> {
        match (self.configured, self.over) {
            (false, _) => bail!("configurationDone has to come first"),
            (true, true) => bail!("the job is over; disconnect ends the adapter"),
            (true, false) => Ok(()),
        }
    }

    fn moves(&mut self, thread: i64, motion: Motion) -> anyhow::Result<Answer> {
        self.may_move()?;
        let slot = self.slot_of(thread)?;
        self.look_at(slot)?;
        Ok(Answer::Moves(Value::Null, motion))
    }

    fn request(&mut self, request: &Request) -> anyhow::Result<Answer> {
        use Direction::{Back, Forward};
        let value = &request.arguments;
        let thread = || arguments(value).map(|Thread { thread_id }| thread_id);
        match &*request.command {
            "configurationDone" if !self.configured => {
                self.configured = true;
                Ok(Answer::Moves(Value::Null, self.entry()))
            }
            "disconnect" => Ok(Answer::End),
            "terminate" => Ok(Answer::Over),
            // Breakpoints and watches stay, with the hits that they have counted.
            "restart" => {
                self.may_move()?;
                self.session.go_to_start()?;
                Ok(Answer::Moves(Value::Null, self.entry()))
            }
            "continue" => {
                self.moves(thread()?, Motion::Run(Forward, Goal::Job))?;
                let body = json!({ "allThreadsContinued": true });
                Ok(Answer::Moves(body, Motion::Run(Forward, Goal::Job)))
            }
            "reverseContinue" => self.moves(thread()?, Motion::Run(Back, Goal::Job)),
            "next" => self.moves(thread()?, Motion::Next(Forward)),
            "stepBack" => self.moves(thread()?, Motion::Next(Back)),
            "stepIn" => self.moves(thread()?, Motion::Run(Forward, Goal::Steps(1))),
            "stepOut" => self.moves(thread()?, Motion::Finish),
            "goto" => {
                let Goto { thread_id, target_id } = arguments(value)?;
                let place = index(target_id).and_then(|n| self.targets.get(n)).cloned();
                let place =
                    place.with_context(|| format!("targetId {target_id}: there is none"))?;
                self.moves(thread_id, Motion::Goto(place))
            }
            "evaluate" => self.evaluate(value),
            _ => self.look(request).map(Answer::Body),
        }
    }

    /// Answers a request that moves nothing.
    fn look(&mut self, request: &Request) -> anyhow::Result<Value> {
        let value = &request.arguments;
        let thread = || arguments(value).map(|Thread { thread_id }| thread_id);
        Ok(match &*request.command {
            "initialize" | "launch" | "attach" | "configurationDone" => {
                bail!("{} came before", request.command)
            }
            // At rest there is nothing to stop.
            "pause" => thread().and_then(|thread| self.slot_of(thread)).map(|_| Value::Null)?,
            "gotoTargets" => self.goto_targets(value)?,
            "threads" => self.threads()?,
            "stackTrace" => self.stack_trace(value)?,
            "scopes" => {
                let Frame { frame_id } = arguments(value)?;
                let (slot, _) = self.frame_of(frame_id)?;
                variables::scopes(&mut self.references, slot, self.session.image())?
            }
            "variables" => {
                let request: Variables = arguments(value)?;
                let (slot, _) = self.references.get(request.variables_reference)?;
                self.at(slot, |this| {
                    variables::variables(&this.session, &mut this.references, &request)
                })??
            }
            "completions" => self.completions(value)?,
            "exceptionInfo" => {
                self.slot_of(thread()?)?;
                if self.exception.is_empty() {
                    bail!("nothing has happened");
                }
                json!({
                    "exceptionId": "ctm",
                    "description": self.exception,
                    "breakMode": "always",
                })
            }
            "disassemble" => self.disassemble(value)?,
            "readMemory" => self.read_memory(value)?,
            "loadedSources" => list("sources", self.sources.all())?,
            "source" => {
                let SourceText { source, source_reference } = arguments(value)?;
                let source = source.unwrap_or(requests::Source { path: None, source_reference });
                let text = self.sources.text(&self.sources.find(&source)?)?;
                json!({ "content": &*text })
            }
            "breakpointLocations" => {
                let lines: Lines = arguments(value)?;
                let first = line_of(lines.line, self.first_line)?;
                let last = line_of(lines.end_line.unwrap_or(lines.line), self.first_line)?;
                let found = self.sources.lines(&self.sources.find(&lines.source)?);
                let shown = found.keys().filter(|line| (first..=last).contains(*line));
                list("breakpoints", shown.map(|line| Line { line: line - 1 + self.first_line }))?
            }
            "setBreakpoints"
            | "setFunctionBreakpoints"
            | "setInstructionBreakpoints"
            | "setDataBreakpoints"
            | "setExceptionBreakpoints" => {
                let first = self.first_line;
                self.breakpoints.set(&mut self.session, &self.sources, first, request)?
            }
            "dataBreakpointInfo" => self.data_breakpoint_info(value)?,
            other => bail!("{other}: the adapter has no such request"),
        })
    }
}
