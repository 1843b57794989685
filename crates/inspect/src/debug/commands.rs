//! The commands of a session: a line of text each.

use super::error::DebugError;
use super::expression::{self, Expression};
use super::movement::{Direction, Goal, Halt};
use super::session::Session;
use super::stops::{Cause, Location};
use crate::check::Code;
use ctm_base::named;
use ctm_lang::program::NameKind;

named! {
    /// The commands.
    Verb {
        Step "step": "N instructions forward (1); a stop on the way ends it";
        Back "back": "N instructions back (1)";
        Next "next": "one instruction; a call runs until its return";
        ReverseNext "reverse-next": "the same, back";
        Finish "finish": "out of the subroutine; outside all of them, to the end of the group";
        ReverseFinish "reverse-finish": "the same, back, or to the start of the group";
        Continue "continue": "to the next stop, or the end of the job";
        ReverseContinue "reverse-continue": "to the stop before, or the start of the job";
        Until "until": "to a place";
        ReverseUntil "reverse-until": "to a place, back";
        Goto "goto": "to step N of the group; nothing stops it";
        Point "point": "looks at another point; of another group: goes to that group's start";
        Group "group": "to the start of group N of the launch";
        Pass "pass": "to the start of a pass";
        Break "break": "stops before an instruction";
        Watch "watch": "stops when a value changes";
        Stop "stop": "stops at an event: nan, fault, divergence, finding or finding CODE";
        Stops "stops": "lists breakpoints, watches and events";
        Delete "delete": "removes stop N";
        Where "where": "pass, group, step, point, next instruction";
        Registers "registers": "what is not 0 or has a name";
        Variables "variables": "the variables of the source: values, places, lines of their stores";
        Grid "grid": "the points of the group";
        Lanes "lanes": "the value at each point of the group";
        List "list": "the instructions around the next one";
        Source "source": "the lines around the next one";
        Stacks "stacks": "calls and loops";
        Surfaces "surfaces": "the inputs and outputs of the launch";
        Constants "constants": "the constants that the program reads";
        Memory "memory": "N words from an address (16)";
        Print "print": "the value at the point";
        Why "why": "where a value came from";
        Help "help": "this text";
        Quit "quit": "ends the session";
    }
}

impl Verb {
    /// The verb of a word: its name, or a short form of it.
    pub fn of(word: &str) -> Option<Verb> {
        match word {
            "s" => Some(Verb::Step),
            "b" => Some(Verb::Back),
            "n" => Some(Verb::Next),
            "rn" => Some(Verb::ReverseNext),
            "c" => Some(Verb::Continue),
            "rc" => Some(Verb::ReverseContinue),
            "p" => Some(Verb::Print),
            _ => Verb::from_name(word),
        }
    }

    /// Whether it runs instructions, so that it may take long. All that move the session do.
    pub fn runs(self) -> bool {
        matches!(
            self,
            Verb::Step
                | Verb::Back
                | Verb::Next
                | Verb::ReverseNext
                | Verb::Finish
                | Verb::ReverseFinish
                | Verb::Continue
                | Verb::ReverseContinue
                | Verb::Until
                | Verb::ReverseUntil
                | Verb::Goto
                | Verb::Point
                | Verb::Group
                | Verb::Pass
                | Verb::Why
        )
    }

    /// Its arguments.
    pub fn arguments(self) -> &'static str {
        match self {
            Verb::Step | Verb::Back | Verb::List | Verb::Source => "[N]",
            Verb::Until | Verb::ReverseUntil => "PLACE",
            Verb::Goto | Verb::Group | Verb::Delete => "N",
            Verb::Point => "I,J",
            Verb::Pass => "N [REPETITION]",
            Verb::Break => "PLACE [if EXPR] [hit N]",
            Verb::Watch => "EXPR [if EXPR] [hit N]",
            Verb::Stop => "EVENT [if EXPR] [hit N]",
            Verb::Lanes | Verb::Print => "EXPR",
            Verb::Memory => "ADDRESS [N]",
            Verb::Why => "REGISTER.CHANNEL|NAME",
            _ => "",
        }
    }
}

/// The events that `stop` takes.
const EVENTS: [&str; 4] = ["nan", "fault", "divergence", "finding"];

/// The list of the commands and their effects.
pub fn help() -> String {
    let line = |verb: &Verb| {
        let usage = format!("{verb} {}", verb.arguments());
        format!("{usage:<30} {}\n", verb.meaning())
    };
    let verbs: String = Verb::ALL.iter().map(line).collect();
    verbs
        + "\
Short: s step, b back, n next, rn reverse-next, c continue, rc reverse-continue, p print.
PLACE: *PC, a label, a line of the source, or FILE:LINE.
EXPR:  r3.x * 2 > c1.y, i0[4,7].r, o0.r (held), o0[4,7].r (memory), p.r, alu, w, aL,
       n0 (count), b3, pc, step, active, covered, column, row, names of the source,
       such as v.y or m[5]; $r3 if the source has another r3.
"
}

/// The completions of a line of commands: the position of its last word, and the possible words.
pub fn complete(session: &Session<'_>, line: &str) -> (usize, Vec<String>) {
    let begun = |start: usize, words: Vec<String>| {
        let fits = |word: &String| word.starts_with(&line[start..]);
        (start, words.into_iter().filter(fits).collect())
    };
    let Some((word, rest)) = line.split_once(char::is_whitespace) else {
        return begun(0, Verb::ALL.iter().map(|verb| verb.name().to_string()).collect());
    };
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let start = line.trim_end_matches(part).len();
    let arguments = Verb::of(word).map(Verb::arguments).unwrap_or_default();
    let first = !rest.trim_start().contains(char::is_whitespace);
    let image = session.image();
    if arguments.starts_with("PLACE") && first {
        let labels = (0..image.words.len() as u32)
            .filter_map(|pc| image.name_of(NameKind::Label, pc).map(str::to_string));
        return begun(start, labels.collect());
    }
    if arguments.starts_with("EVENT") && first {
        return begun(start, EVENTS.map(str::to_string).to_vec());
    }
    if arguments.contains("EXPR") || arguments.contains("REGISTER") {
        begun(start, expression::names(image))
    } else {
        (line.len(), Vec::new())
    }
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Lines of text.
    pub text: String,
    /// Whether the session is over.
    pub over: bool,
}

/// Runs one command. An empty line and one that begins with `#` do nothing.
///
/// # Errors
/// The command is wrong or cannot be done.
pub fn execute(session: &mut Session<'_>, line: &str) -> Result<Reply, DebugError> {
    use Direction::{Back, Forward};
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(Reply { text: String::new(), over: false });
    }
    let verb = Verb::of(word)
        .ok_or_else(|| DebugError(format!("`{word}` is no command; help lists them")))?;
    if verb.arguments().is_empty() && !rest.is_empty() {
        return Err(DebugError(format!("{word} takes no argument, found `{rest}`")));
    }
    let text = match verb {
        Verb::Step => moved(session, |session| session.run(Forward, &Goal::Steps(count(rest)?)))?,
        Verb::Back => moved(session, |session| session.run(Back, &Goal::Steps(count(rest)?)))?,
        Verb::Next => moved(session, |session| session.next(Forward))?,
        Verb::ReverseNext => moved(session, |session| session.next(Back))?,
        Verb::Finish => moved(session, |session| session.finish(Forward))?,
        Verb::ReverseFinish => moved(session, |session| session.finish(Back))?,
        Verb::Continue if session.has_ended() => {
            return Ok(Reply { text: "the job has ended\n".to_string(), over: true });
        }
        Verb::Continue => moved(session, |session| session.run(Forward, &Goal::Job))?,
        Verb::ReverseContinue => moved(session, |session| session.run(Back, &Goal::Job))?,
        Verb::Until => {
            moved(session, |session| session.run(Forward, &Goal::Location(place(rest)?)))?
        }
        Verb::ReverseUntil => {
            moved(session, |session| session.run(Back, &Goal::Location(place(rest)?)))?
        }
        Verb::Goto => {
            session.go_to_step(number(rest, "the number of a step")?)?;
            session.place()
        }
        Verb::Point => {
            let wrong = || DebugError(format!("expected a point such as 3,5, found `{rest}`"));
            let (i, j) = rest.split_once(',').ok_or_else(wrong)?;
            let parse = |text: &str| text.trim().parse().map_err(|_| wrong());
            session.look_at(parse(i)?, parse(j)?)?;
            session.place()
        }
        Verb::Group => {
            let launch = session.position().launch;
            session.go_to_group(launch, number(rest, "the number of a group")?)?;
            session.place()
        }
        Verb::Pass => {
            let (pass, repetition) = rest.split_once(char::is_whitespace).unwrap_or((rest, "0"));
            let pass = number(pass, "the number of a pass")?;
            let repetition = number(repetition, "the number of a repetition")?;
            let found = usize::try_from(pass).ok().zip(u32::try_from(repetition).ok());
            let launch = found.and_then(|(pass, n)| session.plan().launch_of(pass, n));
            let launch = launch.ok_or_else(|| {
                DebugError(format!("the job has no pass {pass} with repetition {repetition}"))
            })?;
            session.go_to_launch(launch)?;
            session.place()
        }
        Verb::Break => add(session, rest, |text| Ok(Cause::At(place(text)?)))?,
        Verb::Watch => add(session, rest, |text| Ok(Cause::Change(text.to_string())))?,
        Verb::Stop => add(session, rest, |text| match text {
            "nan" => Ok(Cause::Nan),
            "fault" => Ok(Cause::Fault),
            "divergence" => Ok(Cause::Divergence),
            "finding" => Ok(Cause::Finding(None)),
            _ if text.starts_with("finding ") => {
                let name = text["finding ".len()..].trim();
                let wrong =
                    || DebugError(format!("`{name}` is no code; docs/checks.md lists them"));
                Ok(Cause::Finding(Some(Code::from_name(name).ok_or_else(wrong)?)))
            }
            _ => {
                let events = EVENTS.join(", ");
                Err(DebugError(format!("expected one of {events}, found `{text}`")))
            }
        })?,
        Verb::Stops => session.stops().iter().map(|stop| format!("{stop}\n")).collect(),
        Verb::Delete => {
            let id = number(rest, "the number of a stop")?;
            let id = u32::try_from(id).map_err(|_| DebugError(format!("there is no stop {id}")))?;
            session.remove_stop(id)?;
            String::new()
        }
        Verb::Where => session.place(),
        Verb::Registers => session.registers(),
        Verb::Variables => session.variable_lines(),
        Verb::Grid => session.grid(),
        Verb::List => session.listing(around(rest)?),
        Verb::Source => session.source_lines(around(rest)?)?,
        Verb::Stacks => session.stacks(),
        Verb::Surfaces => session.surfaces(),
        Verb::Constants => session.constants(),
        Verb::Lanes => session.lanes(&parse(session, rest)?),
        Verb::Memory => {
            let (at, count) = rest.split_once(char::is_whitespace).unwrap_or((rest, "16"));
            let hex = at.strip_prefix("0x").unwrap_or(at);
            let address = u32::from_str_radix(hex, 16)
                .map_err(|_| DebugError(format!("expected a hexadecimal address, found `{at}`")))?;
            session.words(address, number(count, "a number of words")?)?
        }
        Verb::Print => {
            let expression = parse(session, rest)?;
            let value = session.evaluate(&expression)?;
            format!("{expression} = {value}{}\n", session.ranges_of(&expression))
        }
        Verb::Why => session.why(rest)?.to_string(),
        Verb::Help => help(),
        Verb::Quit => return Ok(Reply { text: String::new(), over: true }),
    };
    Ok(Reply { text, over: false })
}

fn moved<'a>(
    session: &mut Session<'a>,
    run: impl FnOnce(&mut Session<'a>) -> Result<Halt, DebugError>,
) -> Result<String, DebugError> {
    let halt = run(session)?;
    Ok(halted(session, &halt))
}

/// The reason and the place of a run's halt.
fn halted(session: &Session<'_>, halt: &Halt) -> String {
    let reason = match halt {
        Halt::Goal => String::new(),
        Halt::End => "end\n".to_string(),
        Halt::Start => "start\n".to_string(),
        Halt::Stops(stops) => {
            stops.iter().map(|(id, text)| format!("stop {id}: {text}\n")).collect()
        }
    };
    reason + &session.place()
}

fn number(text: &str, what: &str) -> Result<u64, DebugError> {
    text.trim().parse().map_err(|_| DebugError(format!("expected {what}, found `{text}`")))
}

fn count(text: &str) -> Result<u64, DebugError> {
    if text.is_empty() { Ok(1) } else { number(text, "a number of steps") }
}

/// The number of lines to list around the next one.
fn around(text: &str) -> Result<u32, DebugError> {
    let lines = if text.is_empty() { 5 } else { number(text, "a number of lines")? };
    Ok(lines.min(512) as u32)
}

fn place(text: &str) -> Result<Location, DebugError> {
    Location::parse(text)
        .filter(|_| !text.contains(char::is_whitespace))
        .ok_or_else(|| DebugError(format!("expected *PC, a label or a line, found `{text}`")))
}

fn parse(session: &Session<'_>, text: &str) -> Result<Expression, DebugError> {
    Ok(Expression::parse(text, session.image())?)
}

/// Adds a stop: its cause, then ` if EXPR` and ` hit N`.
fn add(
    session: &mut Session<'_>,
    text: &str,
    cause: impl FnOnce(&str) -> Result<Cause, DebugError>,
) -> Result<String, DebugError> {
    let (text, hit) = match text.rsplit_once(" hit ") {
        Some((before, hit)) => (before, Some(number(hit, "the number of a hit")?)),
        None => (text, None),
    };
    if hit == Some(0) {
        return Err(DebugError("hits count from 1".to_string()));
    }
    let (text, condition) = match text.split_once(" if ") {
        Some((before, condition)) => (before, Some(condition.trim().to_string())),
        None => (text, None),
    };
    let cause = cause(text.trim())?;
    let id = session.add_stop(cause, condition, hit)?;
    let added = session.stops().iter().find(|stop| stop.id == id);
    Ok(added.map(|stop| format!("stop {stop}\n")).unwrap_or_default())
}
