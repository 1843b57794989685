//! The keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The action of a key outside the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A command as it is typed.
    Command(&'static str),
    /// Run to the cursor, forward or back.
    ToCursor(&'static str),
    /// Set or remove a breakpoint at the cursor.
    Breakpoint,
    /// Move the cursor over instructions.
    Cursor(i32),
    /// Look at a neighbour of the point: columns and rows.
    Point(i32, i32),
    /// The group after this one, or before it.
    Group(i32),
    /// Show the next output.
    Output,
    /// Scroll the answers by pages.
    Scroll(i32),
    /// Begin a command with this.
    Line(&'static str),
    /// Run the last command again.
    Again,
    /// List the keys.
    Help,
    /// End the session.
    Quit,
}

/// The keys as the help shows them, and what they do.
pub const HELP: [(&str, &str); 19] = [
    ("s  b", "step, back: one instruction"),
    ("n  N", "next, reverse-next: over calls"),
    ("f  F", "finish, reverse-finish: out of the subroutine"),
    ("c  C", "continue, reverse-continue"),
    ("Up  Down", "move the cursor, `>`, over instructions"),
    ("u  U", "run to the cursor, forward or back"),
    ("Space", "set or remove a breakpoint at the cursor"),
    ("h j k l", "look at the point to the left, below, above, to the right"),
    ("[  ]", "the group before, the group after"),
    ("o", "show the next output"),
    ("PgUp  PgDn", "scroll the answers"),
    (".", "run the last command again"),
    ("g", "goto: a step of the group"),
    ("p", "print: the value of an expression"),
    (":", "the command line; Esc or an empty line leaves it"),
    ("  Tab", "completes a word"),
    ("  Up  Down", "the commands before"),
    ("Ctrl-C", "stops a command that runs; at rest it ends the session"),
    ("?  q", "this list, quit; `help` lists the commands"),
];

/// The action of a key outside the command line.
pub fn action(key: KeyEvent) -> Option<Action> {
    if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
        return None;
    }
    Some(match key.code {
        KeyCode::Char('s') => Action::Command("step"),
        KeyCode::Char('b') => Action::Command("back"),
        KeyCode::Char('n') => Action::Command("next"),
        KeyCode::Char('N') => Action::Command("reverse-next"),
        KeyCode::Char('f') => Action::Command("finish"),
        KeyCode::Char('F') => Action::Command("reverse-finish"),
        KeyCode::Char('c') => Action::Command("continue"),
        KeyCode::Char('C') => Action::Command("reverse-continue"),
        KeyCode::Up => Action::Cursor(-1),
        KeyCode::Down => Action::Cursor(1),
        KeyCode::Char('u') => Action::ToCursor("until"),
        KeyCode::Char('U') => Action::ToCursor("reverse-until"),
        KeyCode::Char(' ') => Action::Breakpoint,
        KeyCode::Char('h') => Action::Point(-1, 0),
        KeyCode::Char('j') => Action::Point(0, 1),
        KeyCode::Char('k') => Action::Point(0, -1),
        KeyCode::Char('l') => Action::Point(1, 0),
        KeyCode::Char('[') => Action::Group(-1),
        KeyCode::Char(']') => Action::Group(1),
        KeyCode::Char('o') => Action::Output,
        KeyCode::PageUp => Action::Scroll(1),
        KeyCode::PageDown => Action::Scroll(-1),
        KeyCode::Char('.') => Action::Again,
        KeyCode::Char('g') => Action::Line("goto "),
        KeyCode::Char('p') => Action::Line("print "),
        KeyCode::Char(':') => Action::Line(""),
        KeyCode::Char('?') => Action::Help,
        KeyCode::Char('q') => Action::Quit,
        _ => return None,
    })
}
