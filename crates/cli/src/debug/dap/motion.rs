//! Movements of a session, during which its snapshot answers.

use super::bodies::Stopped;
use super::queries::result;
use super::wire::{RUNS, Request};
use super::work::{Ended, Meanwhile};
use super::{Adapter, Debugged};
use anyhow::{Error, anyhow};
use ctm_inspect::debug::{DebugError, Direction, Goal, Halt, Location, Session, execute};
use serde_json::{Value, json};
use std::io;

/// Requests that a run waits for no longer: it stops, and they are handled.
const ENDS: [&str; 3] = ["disconnect", "terminate", "restart"];

/// Requests that need a stopped session: they move it, or look at what changes while it runs.
const NEEDS_STOP: &str = "continue reverseContinue next stepBack stepIn stepOut goto stackTrace \
    scopes variables evaluate exceptionInfo disassemble readMemory";

/// A movement.
pub enum Motion {
    /// To the first instruction: a breakpoint may be there.
    Start,
    /// It is there.
    Entry,
    Run(Direction, Goal),
    Next(Direction),
    Finish,
    Goto(Location),
}

impl Motion {
    /// Moves. Returns also what the event that follows is called if the goal is reached.
    fn run(&self, session: &mut Session<'_>) -> (&'static str, Result<Halt, DebugError>) {
        match self {
            Motion::Entry => ("entry", Ok(Halt::Goal)),
            Motion::Start => match session.breaks_here() {
                hits if !hits.is_empty() => ("breakpoint", Ok(Halt::Stops(hits))),
                _ => ("step", session.run(Direction::Forward, &Goal::Job)),
            },
            Motion::Run(direction, goal) => ("step", session.run(*direction, goal)),
            Motion::Next(direction) => ("step", session.next(*direction)),
            Motion::Finish => ("step", session.finish(Direction::Forward)),
            Motion::Goto(place) => ("goto", session.go_to_place(place).map(|()| Halt::Goal)),
        }
    }
}

impl Adapter {
    /// Runs the session in a thread of its own. A snapshot of it answers meanwhile.
    fn run<'p, T: Send>(
        &mut self,
        debugged: &mut Debugged<'p>,
        run: impl FnOnce(&mut Session<'p>) -> T + Send,
    ) -> anyhow::Result<(T, Ended)> {
        let snapshot = debugged.session.snapshot();
        let mut session = std::mem::replace(&mut debugged.session, snapshot);
        let done = self.work(
            || run(&mut session),
            |adapter, request| {
                let command = &*request.command;
                if ENDS.contains(&command) {
                    return Ok(Meanwhile::Ends);
                }
                let result = if NEEDS_STOP.split(' ').any(|needs| needs == command) {
                    Err(anyhow!(RUNS))
                } else {
                    let before = debugged.session.stops().to_vec();
                    let result = debugged.look(request);
                    if debugged.session.stops() != before {
                        debugged.session.hand_over();
                    }
                    result
                };
                let stops = command == "pause" && result.is_ok();
                adapter.out.answer(request, result)?;
                Ok(if stops { Meanwhile::Stops } else { Meanwhile::Answered })
            },
        );
        debugged.session = session;
        debugged.session.take_over();
        done
    }

    /// Says that the session stopped.
    fn stopped(&mut self, event: Stopped) -> io::Result<()> {
        self.out.event("stopped", serde_json::to_value(event)?)
    }

    /// Says that the job is over, once.
    pub(super) fn over(&mut self, debugged: &mut Debugged<'_>) -> io::Result<()> {
        if std::mem::replace(&mut debugged.over, true) {
            return Ok(());
        }
        self.out.event("terminated", Value::Null)
    }

    /// Runs a command of the console, and says whether it moved the session.
    pub(super) fn command(
        &mut self,
        debugged: &mut Debugged<'_>,
        request: &Request,
        text: &str,
    ) -> anyhow::Result<()> {
        let before = (debugged.session.position(), debugged.session.point());
        let (reply, ended) = self.run(debugged, |session| execute(session, text))?;
        let moved = (debugged.session.position(), debugged.session.point()) != before;
        if moved {
            debugged.references.clear();
        }
        let is_over = reply.as_ref().is_ok_and(|reply| reply.over);
        let body = reply.map(|reply| result(reply.text.trim_end())).map_err(Error::from);
        self.out.answer(request, body)?;
        match ended {
            _ if is_over => self.over(debugged)?,
            Ended::Stopped => self.stopped(debugged.stopped("pause", None))?,
            Ended::Itself if moved => self.stopped(debugged.stopped("goto", None))?,
            Ended::Itself | Ended::Next => {}
        }
        Ok(())
    }

    /// Moves, and says where the session stopped.
    pub(super) fn moved(
        &mut self,
        debugged: &mut Debugged<'_>,
        motion: &Motion,
    ) -> anyhow::Result<()> {
        debugged.references.clear();
        if matches!(motion, Motion::Run(Direction::Forward, Goal::Job))
            && debugged.session.has_ended()
        {
            self.out.event("exited", json!({ "exitCode": 0 }))?;
            return Ok(self.over(debugged)?);
        }
        let ((goal, result), ended) = self.run(debugged, |session| motion.run(session))?;
        let event = match result {
            _ if ended == Ended::Next => return Ok(()),
            Ok(Halt::Goal) => debugged.stopped(goal, None),
            Ok(Halt::End) => debugged.stopped("end", Some("The job has ended".to_string())),
            Ok(Halt::Start) => debugged.stopped("start", Some("The job begins".to_string())),
            Ok(Halt::Stops(stops)) => {
                let first = stops.first().map_or(0, |(id, _)| *id);
                let (ids, texts): (Vec<u32>, Vec<String>) = stops.into_iter().unzip();
                let text = texts.join("; ");
                debugged.exception.clone_from(&text);
                let event = debugged.stopped(debugged.breakpoints.reason(first), Some(text));
                Stopped { hit_breakpoint_ids: Some(ids), ..event }
            }
            Err(_) if ended == Ended::Stopped => debugged.stopped("pause", None),
            Err(error) => {
                self.tell(&error.to_string())?;
                debugged.exception = error.to_string();
                debugged.stopped("exception", Some(error.to_string()))
            }
        };
        Ok(self.stopped(event)?)
    }
}
