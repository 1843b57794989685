//! The commands of a session: a line of text each.

use super::error::DebugError;
use super::expression::Expression;
use super::movement::{Direction, Goal, Halt};
use super::session::Session;
use super::stops::{Cause, Place};

/// What each command does.
pub const HELP: &str = "\
step [N], back [N]             N instructions forward or back (1); a stop on the way ends it
next, reverse-next             one instruction; a call runs until its return
finish, reverse-finish         out of the subroutine; outside all of them, to the end or start of the group
continue, reverse-continue     to the next stop, or the end or start of the job
until PLACE, reverse-until PLACE
goto N                         to step N of the group
point I,J                      looks at another point; of another group: goes to that group's start
group N                        to the start of group N of the launch
pass N [REPETITION]            to the start of a pass
break PLACE [if EXPR] [hit N]  stops before an instruction
watch EXPR [if EXPR] [hit N]   stops when a value changes
stop nan|fault|divergence [if EXPR] [hit N]
stops, delete N                lists breakpoints, watches and events; removes one
where, registers, grid, list [N], stacks
print EXPR                     r3.x * 2 > c1.y, i0[4,7].r, o0.r (held), o0[4,7].r (memory), p.r, alu, aL,
                               n0 (count), b3, pc, step, active, covered, column, row, names of the source
why REGISTER.CHANNEL           where a value came from
help, quit
A PLACE is *PC, a label, a line of the source, or FILE:LINE.
";

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
/// What is wrong with the command, or why it cannot be done.
pub fn execute(session: &mut Session<'_>, line: &str) -> Result<Reply, DebugError> {
    use Direction::{Back, Forward};
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let takes_nothing = [
        "next",
        "n",
        "reverse-next",
        "rn",
        "finish",
        "reverse-finish",
        "continue",
        "c",
        "reverse-continue",
        "rc",
        "stops",
        "where",
        "registers",
        "grid",
        "stacks",
        "help",
        "quit",
    ];
    if takes_nothing.contains(&word) && !rest.is_empty() {
        return Err(DebugError(format!("{word} takes no argument, found `{rest}`")));
    }
    let text = match word {
        "step" | "s" => moved(session, |session| session.run(Forward, &Goal::Steps(count(rest)?)))?,
        "back" | "b" => moved(session, |session| session.run(Back, &Goal::Steps(count(rest)?)))?,
        "next" | "n" => moved(session, |session| session.next(Forward))?,
        "reverse-next" | "rn" => moved(session, |session| session.next(Back))?,
        "finish" => moved(session, |session| session.finish(Forward))?,
        "reverse-finish" => moved(session, |session| session.finish(Back))?,
        "continue" | "c" => {
            let before = session.position();
            let halt = session.run(Forward, &Goal::Job)?;
            if halt == Halt::End && session.position() == before {
                return Ok(Reply { text: "the job has ended\n".to_string(), over: true });
            }
            halted(session, &halt)
        }
        "reverse-continue" | "rc" => moved(session, |session| session.run(Back, &Goal::Job))?,
        "until" => moved(session, |session| session.run(Forward, &Goal::Place(place(rest)?)))?,
        "reverse-until" => moved(session, |session| session.run(Back, &Goal::Place(place(rest)?)))?,
        "goto" => {
            session.go_to_step(number(rest, "the number of a step")?)?;
            session.place()
        }
        "point" => {
            let wrong = || DebugError(format!("expected a point such as 3,5, found `{rest}`"));
            let (i, j) = rest.split_once(',').ok_or_else(wrong)?;
            let parse = |text: &str| text.trim().parse().map_err(|_| wrong());
            session.look_at(parse(i)?, parse(j)?)?;
            session.place()
        }
        "group" => {
            let launch = session.position().launch;
            session.go_to_group(launch, number(rest, "the number of a group")?)?;
            session.place()
        }
        "pass" => {
            let (pass, repetition) = rest.split_once(char::is_whitespace).unwrap_or((rest, "0"));
            let pass = number(pass, "the number of a pass")?;
            let repetition = number(repetition, "the number of a repetition")?;
            let found = usize::try_from(pass).ok().zip(u32::try_from(repetition).ok());
            let launch = found.and_then(|(pass, n)| session.plan().launch_of(pass, n));
            let launch = launch.ok_or_else(|| {
                DebugError(format!("the job has no pass {pass} with repetition {repetition}"))
            })?;
            session.go_to_group(launch, 0)?;
            session.place()
        }
        "break" => add(session, rest, |_, text| Ok(Cause::At(place(text)?)))?,
        "watch" => add(session, rest, |session, text| Ok(Cause::Change(parse(session, text)?)))?,
        "stop" => add(session, rest, |_, text| match text {
            "nan" => Ok(Cause::Nan),
            "fault" => Ok(Cause::Fault),
            "divergence" => Ok(Cause::Divergence),
            _ => Err(DebugError(format!("expected nan, fault or divergence, found `{text}`"))),
        })?,
        "stops" => session.stops().iter().map(|stop| format!("{stop}\n")).collect(),
        "delete" => {
            let id = number(rest, "the number of a stop")?;
            let id = u32::try_from(id).map_err(|_| DebugError(format!("there is no stop {id}")))?;
            session.remove_stop(id)?;
            String::new()
        }
        "where" => session.place(),
        "registers" => session.registers(),
        "grid" => session.grid(),
        "list" => {
            let around = if rest.is_empty() { 5 } else { number(rest, "a number of lines")? };
            session.listing(around.min(512) as u32)
        }
        "stacks" => session.stacks(),
        "print" | "p" => {
            let expression = parse(session, rest)?;
            format!("{expression} = {}\n", session.evaluate(&expression)?)
        }
        "why" => session.why(rest)?.to_string(),
        "help" => HELP.to_string(),
        "quit" => return Ok(Reply { text: String::new(), over: true }),
        _ if line.is_empty() || line.starts_with('#') => String::new(),
        _ => return Err(DebugError(format!("`{word}` is no command; help lists them"))),
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

/// Why a run came to a halt, and where.
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

fn place(text: &str) -> Result<Place, DebugError> {
    Place::parse(text)
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
    cause: impl FnOnce(&Session<'_>, &str) -> Result<Cause, DebugError>,
) -> Result<String, DebugError> {
    let (text, hit) = match text.rsplit_once(" hit ") {
        Some((before, hit)) => (before, Some(number(hit, "the number of a hit")?)),
        None => (text, None),
    };
    if hit == Some(0) {
        return Err(DebugError("hits count from 1".to_string()));
    }
    let (text, condition) = match text.split_once(" if ") {
        Some((before, condition)) => (before, Some(parse(session, condition)?)),
        None => (text, None),
    };
    let cause = cause(session, text.trim())?;
    let id = session.add_stop(cause, condition, hit)?;
    let added = session.stops().iter().find(|stop| stop.id == id);
    Ok(added.map(|stop| format!("stop {stop}\n")).unwrap_or_default())
}
