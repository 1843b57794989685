//! The screen's state: what keys and commands change.

use super::events;
use super::keys::{Action, action};
use super::line::{CommandLine, Edit};
use super::state::{Row, rows};
use super::{Exit, Signals, escaped, screen};
use anyhow::Context;
use ctm_inspect::debug::{Cause, DebugError, Location, Reply, Session, execute};
use ratatui::DefaultTerminal;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::crossterm::execute;
use std::collections::VecDeque;
use std::io::stdout;
use std::mem::ManuallyDrop;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// The most lines of answers that are kept.
const ANSWERS: usize = 10_000;
/// The time that a command runs before the screen says so, and then the interval at which keys are
/// looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// The state of the screen.
pub struct App<'a> {
    /// The session.
    pub session: Session<'a>,
    /// The command line.
    pub line: CommandLine,
    /// Whether keys go to the command line.
    pub typing: bool,
    /// The instruction that the cursor is on.
    pub cursor: u32,
    /// The output that the picture shows.
    pub output: usize,
    /// The answers of commands, oldest first.
    pub answers: VecDeque<String>,
    /// Lines of answers below the last one that is shown.
    pub scroll: usize,
    /// The state of the point at the last stop, if it is that of the same point.
    pub before: Option<Vec<Row>>,
    /// Whether the keys are listed.
    pub help: bool,
    /// Whether there are colours.
    pub colors: bool,
    last: Option<String>,
}

/// The state of the session after a command.
#[derive(PartialEq)]
enum Next {
    On,
    /// After a command that could not be done.
    Wrong,
    Over,
}

/// The terminal as it was, once this is dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        let _ = execute!(stdout(), Show);
        let _ = ratatui::try_restore();
    }
}

/// The screen of a session. `commands` come first, each with its place in a file.
pub fn run(
    session: Session<'_>,
    commands: &[(String, String)],
    signals: &Signals,
    colors: bool,
) -> anyhow::Result<Exit> {
    let restored = Restored;
    // Its own end would complain if the terminal is gone.
    let terminal = ratatui::try_init().context("cannot use the terminal")?;
    let mut terminal = ManuallyDrop::new(terminal);
    let mut app = App::new(session, colors);
    let mut face = Face { terminal: &mut terminal, signals, waiting: VecDeque::new() };
    let ended = app.run(&mut face, commands);
    drop(restored);
    signals.obey();
    ended?;
    Ok(Exit::Done)
}

/// The terminal, and what came from it.
struct Face<'t> {
    terminal: &'t mut DefaultTerminal,
    signals: &'t Signals,
    /// Keys that were pressed while a command ran.
    waiting: VecDeque<Event>,
}

impl Face<'_> {
    fn draw(&mut self, app: &App<'_>) -> anyhow::Result<()> {
        let drawn = self.terminal.draw(|frame| screen::draw(frame, app));
        drawn.context(super::output::CANNOT_PRINT)?;
        Ok(())
    }

    /// Runs a command and shows `app` meanwhile. Ctrl-C stops it.
    fn run(
        &mut self,
        session: &mut Session<'_>,
        line: &str,
        app: &App<'_>,
    ) -> anyhow::Result<Result<Reply, DebugError>> {
        let signals = self.signals;
        let reply = thread::scope(|scope| {
            // Nothing is sent: the end of the command drops the sender.
            let (sender, receiver) = sync_channel::<()>(0);
            let worker = scope.spawn(move || {
                let _running = sender;
                execute(session, line)
            });
            let mut looked = Ok(());
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(PATIENCE) {
                if looked.is_ok() {
                    looked = self.look(app);
                }
                if looked.is_err() || signals.came() {
                    signals.stop().stop();
                }
            }
            looked.map(|()| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        signals.resume();
        reply
    }

    /// Says that a command runs, and looks for keys.
    fn look(&mut self, app: &App<'_>) -> anyhow::Result<()> {
        let drawn = self.terminal.draw(|frame| screen::draw_running(frame, app));
        drawn.context(super::output::CANNOT_PRINT)?;
        while let Some(event) = events::now()? {
            if is_interrupt(&event) {
                self.signals.stop().stop();
                self.waiting.clear();
            } else {
                self.waiting.push_back(event);
            }
        }
        Ok(())
    }
}

fn is_interrupt(event: &Event) -> bool {
    matches!(event, Event::Key(KeyEvent { code: KeyCode::Char('c'), modifiers, .. })
        if modifiers.contains(KeyModifiers::CONTROL))
}

impl<'a> App<'a> {
    /// A screen for a session at its start.
    pub fn new(session: Session<'a>, colors: bool) -> App<'a> {
        let mut app = App {
            cursor: 0,
            output: 0,
            line: CommandLine::default(),
            typing: false,
            answers: VecDeque::new(),
            scroll: 0,
            before: None,
            help: false,
            colors,
            last: None,
            session,
        };
        app.arrive();
        app.answer(&app.session.place());
        app
    }

    fn run(&mut self, face: &mut Face<'_>, commands: &[(String, String)]) -> anyhow::Result<()> {
        for (place, line) in commands {
            if line.is_empty() {
                continue;
            }
            match self.perform(face, line, Some(place))? {
                Next::On => {}
                Next::Wrong => break,
                Next::Over => return Ok(()),
            }
        }
        loop {
            face.draw(self)?;
            let event = match face.waiting.pop_front() {
                None => events::next(face.signals)?,
                event => event,
            };
            match event {
                Some(event) if is_interrupt(&event) => return Ok(()),
                Some(Event::Key(key)) if self.key(face, key)? == Next::Over => return Ok(()),
                None => return Ok(()),
                Some(_) => {}
            }
        }
    }

    /// Puts the cursor on the next instruction, and shows an output that is bound.
    fn arrive(&mut self) {
        // After its last instruction a group can be behind the program.
        self.cursor = self.session.moment().group.pc().min(self.last_pc());
        let outputs = &self.session.launch().outputs;
        if outputs[self.output].is_none() {
            self.output = outputs.iter().position(Option::is_some).unwrap_or(0);
        }
    }

    fn last_pc(&self) -> u32 {
        self.session.image().words.len().saturating_sub(1) as u32
    }

    fn answer(&mut self, text: &str) {
        self.answers.extend(escaped(text).lines().map(str::to_string));
        let old = self.answers.len().saturating_sub(ANSWERS);
        self.answers.drain(..old);
        self.scroll = 0;
    }

    /// Runs a command and shows its answer. A wrong command of a file has its place.
    fn perform(
        &mut self,
        face: &mut Face<'_>,
        line: &str,
        place: Option<&str>,
    ) -> anyhow::Result<Next> {
        self.answer(&format!("> {line}"));
        face.draw(self)?;
        let old = (self.session.position(), self.session.point());
        let state = rows(&self.session);
        let snapshot = self.session.snapshot();
        let mut session = std::mem::replace(&mut self.session, snapshot);
        let reply = face.run(&mut session, line, self);
        self.session = session;
        let reply = reply?;
        let new = (self.session.position(), self.session.point());
        if new != old {
            let same = (old.0.launch, old.1) == (new.0.launch, new.1);
            self.before = same.then_some(state);
            self.arrive();
        }
        self.last = Some(line.to_string());
        match reply {
            Ok(reply) => {
                self.answer(&reply.text);
                Ok(if reply.over { Next::Over } else { Next::On })
            }
            Err(error) => {
                let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
                self.answer(&format!("error: {place}{error}"));
                if new != old {
                    self.answer(&self.session.place());
                }
                Ok(Next::Wrong)
            }
        }
    }

    fn key(&mut self, face: &mut Face<'_>, key: KeyEvent) -> anyhow::Result<Next> {
        if self.help {
            self.help = false;
            return Ok(Next::On);
        }
        if self.typing {
            return match self.line.key(key, &self.session) {
                Edit::On => Ok(Next::On),
                Edit::Run(line) => self.perform(face, &line, None),
                Edit::Leave => {
                    self.typing = false;
                    Ok(Next::On)
                }
                Edit::End => Ok(Next::Over),
            };
        }
        let Some(action) = action(key) else { return Ok(Next::On) };
        let command = match action {
            Action::Command(command) => Some(command.to_string()),
            Action::ToCursor(command) => Some(format!("{command} *{}", self.cursor)),
            Action::Breakpoint => {
                let here = Cause::At(Location::Pc(self.cursor));
                Some(match self.session.stops().iter().find(|stop| stop.cause == here) {
                    Some(stop) => format!("delete {}", stop.id),
                    None => format!("break *{}", self.cursor),
                })
            }
            Action::Point(columns, rows) => {
                let (i, j) = self.session.point();
                let to = i.checked_add_signed(columns).zip(j.checked_add_signed(rows));
                to.map(|(i, j)| format!("point {i},{j}"))
            }
            Action::Group(groups) => {
                let to = self.session.position().group.checked_add_signed(groups.into());
                to.map(|group| format!("group {group}"))
            }
            Action::Again => self.last.clone(),
            Action::Quit => return Ok(Next::Over),
            Action::Cursor(by) => {
                self.cursor = self.cursor.saturating_add_signed(by).min(self.last_pc());
                None
            }
            Action::Output => {
                let outputs = &self.session.launch().outputs;
                let mut next = (1..=outputs.len()).map(|n| (self.output + n) % outputs.len());
                self.output = next.find(|&n| outputs[n].is_some()).unwrap_or(0);
                None
            }
            Action::Scroll(pages) => {
                let by = pages as isize * screen::PAGE as isize;
                self.scroll = self.scroll.saturating_add_signed(by).min(self.answers.len());
                None
            }
            Action::Line(begun) => {
                self.line.begin(begun);
                self.typing = true;
                None
            }
            Action::Help => {
                self.help = true;
                None
            }
        };
        command.map_or(Ok(Next::On), |command| self.perform(face, &command, None))
    }
}
