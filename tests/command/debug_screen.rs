//! The screen of `ctm debug` on a pseudo terminal: the tests press keys and read the screen.
#![cfg(unix)]

use crate::cli::ctm;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};
use vt100::{Color, Parser};

/// How long the screen may take to show something, in seconds. Only a failure takes that long.
const LIMIT: i64 = 120;

/// A session on a terminal.
struct Screen {
    pty: Pty,
    child: Child,
    parser: Parser,
}

fn size(rows: u16, columns: u16) -> (NonZeroU16, NonZeroU16) {
    (NonZeroU16::new(rows).expect("rows"), NonZeroU16::new(columns).expect("columns"))
}

impl Screen {
    /// Starts `ctm debug` with arguments on a terminal of columns and rows.
    fn start(dir: &Path, (columns, rows): (u16, u16), args: &[&str], color: bool) -> Screen {
        let no_color = if color { "" } else { "1" };
        let command = Command::new(env!("CARGO_BIN_EXE_ctm")).arg("debug").args(args);
        Screen::spawn(command.env("NO_COLOR", no_color), dir, (columns, rows))
    }

    fn spawn(command: Command, dir: &Path, (columns, rows): (u16, u16)) -> Screen {
        let (pty, pts) = open().expect("a terminal");
        pty.resize(Size::new(rows, columns)).expect("its size");
        let command = command.env("TERM", "xterm-256color").current_dir(dir);
        let child = command.spawn(pts).expect("it starts");
        let (rows, columns) = size(rows, columns);
        Screen { pty, child, parser: Parser::new(rows, columns, 0) }
    }

    fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// Reads what the terminal gets next. `false` once nothing more comes.
    fn read(&mut self) -> bool {
        let limit = Timespec { tv_sec: LIMIT, tv_nsec: 0 };
        let mut fds = [PollFd::new(&self.pty, PollFlags::IN)];
        let ready = poll(&mut fds, Some(&limit)).expect("a terminal");
        assert!(ready > 0, "nothing more comes:\n{}", self.text());
        let mut bytes = [0; 4096];
        // At its end a terminal fails to read.
        let count = self.pty.read(&mut bytes).unwrap_or(0);
        self.parser.process(&bytes[..count]);
        count > 0
    }

    /// Reads until the screen has a text.
    fn wait(&mut self, text: &str) {
        while !self.text().contains(text) {
            assert!(self.read(), "ended without `{text}`:\n{}", self.text());
        }
    }

    /// Reads until the screen lacks a text.
    fn wait_gone(&mut self, text: &str) {
        while self.text().contains(text) {
            assert!(self.read(), "ended with `{text}`:\n{}", self.text());
        }
    }

    /// Reads until the first line has a text.
    fn wait_title(&mut self, text: &str) {
        while !self.text().lines().next().is_some_and(|line| line.contains(text)) {
            assert!(self.read(), "ended without `{text}` on top:\n{}", self.text());
        }
    }

    fn press(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).expect("keys");
    }

    /// Reads to the end. The terminal is then as it was.
    fn end(mut self) -> ExitStatus {
        while self.read() {}
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor());
        status_of(self.child)
    }
}

/// The status that a session ends with. One that goes on for [`LIMIT`] is killed.
fn status_of(mut child: Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a status") {
            return status;
        }
        if begun.elapsed() > Duration::from_secs(LIMIT as u64) {
            child.kill().and_then(|()| child.wait()).expect("killed");
            panic!("the session did not end");
        }
        sleep(Duration::from_millis(5));
    }
}

/// The files of a folder with their bytes.
fn files_of(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(dir).expect("the folder");
    let paths = entries.map(|entry| entry.expect("a file").path());
    let mut files: Vec<_> =
        paths.map(|path| (path.clone(), fs::read(path).expect("bytes"))).collect();
    files.sort();
    files
}

/// A folder with the jobs.
fn folder() -> tempfile::TempDir {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debug_sessions");
    let dir = tempfile::tempdir().expect("a folder");
    let jobs = ["calls.toml", "calls.dpp", "passes.toml", "passes.dpp", "fault.dpp"];
    for file in jobs.into_iter().chain(["shader.toml", "shader.frag"]) {
        fs::copy(from.join(file), dir.path().join(file)).expect("copied");
    }
    let endless = "version = 1\nprogram = { file = \"fault.dpp\" }\n\
        domain = { i0 = 0, j0 = 0, i1 = 1, j1 = 1 }\nlimits = { instructions = 1000000000000 }\n";
    fs::write(dir.path().join("endless.toml"), endless).expect("written");
    dir
}

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 60);

#[test]
fn panes_show_the_session_and_keys_move_it() {
    let dir = folder();
    let before = files_of(dir.path());
    for size in [SMALL, LARGE] {
        let mut screen = Screen::start(dir.path(), size, &["calls.toml"], true);
        screen.wait("? keys");
        screen.wait_title("pass 0, group 0, step 0, point (0, 0)");
        screen.wait("=>    3         mov sum.r, 0");
        // The place is that of the pane above.
        screen.wait("=> >pc 0: mov r1.r, 0   # r1 sum");
        screen.wait(" calls.dpp ");
        // The lines of the panes meet.
        screen.wait("─┬ registers of (0, 0) ─");
        screen.wait(" instructions ─");
        screen.wait("─┤");
        screen.wait("─┬ o0: 9 x 8 ─");
        screen.wait("─┬ answers ─");
        assert!(!screen.text().contains('┌'), "{}", screen.text());
        // Forward, and what changed; back, over a call and out of it.
        screen.press("ss");
        screen.wait_title("step 2, point");
        screen.wait("=> >pc 2: loop n0 -> 9");
        screen.wait("*r2 one 1");
        screen.wait(" r1 sum 0");
        screen.press("b");
        screen.wait_title("step 1, point");
        screen.wait("*r2 one 0");
        screen.press("ssn");
        screen.wait_title("step 6, point");
        screen.press("N");
        screen.wait_title("step 3, point");
        screen.press("s");
        screen.wait("=> >pc 13: ");
        screen.press("f");
        screen.wait_title("step 6, point");
        screen.press("F");
        screen.wait_title("step 0, point");
        // A breakpoint at the cursor; the run to it, and past it and back.
        screen.press("\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B\x1b[B ");
        screen.wait("stop 1: break at pc 6");
        screen.wait("  *>pc 6: ");
        screen.press("c");
        screen.wait_title("step 8, point");
        screen.wait("=>*>pc 6: ");
        screen.wait("\n[#]# . . . . . .");
        screen.wait("\n # # . . . . . .");
        screen.press(" ");
        screen.wait("=> >pc 6: ");
        screen.press("c");
        screen.wait_title("group 1, step 19");
        screen.press("C");
        screen.wait_title("step 0, point (0, 0)");
        screen.press("\x1b[B\x1b[Bu");
        screen.wait_title("step 2, point");
        screen.press("\x1b[A\x1b[AU");
        screen.wait_title("step 0, point");
        // Another point, another group.
        screen.press("lj");
        screen.wait_title("point (1, 1)");
        screen.wait(" #[#]# # # # # #");
        screen.press("hk");
        screen.wait("[#]# # # # # # #");
        screen.press("]");
        screen.wait_title("group 1, step 0, point (8, 0)");
        screen.press("[");
        screen.wait_title("group 0, step 0, point (0, 0)");
        screen.press("s.");
        screen.wait_title("step 2, point");
        // Numbers have their bits where there is room.
        screen.wait(if size == LARGE { "one 1 (3f800000), 0 (00000000)" } else { "one 1 0 0 0" });
        screen.press("q");
        assert!(screen.end().success());
    }
    assert_eq!(files_of(dir.path()), before);
}

#[test]
fn variables_of_the_source_are_above_the_registers() {
    let dir = folder();
    let mut screen = Screen::start(dir.path(), LARGE, &["shader.toml"], true);
    screen.wait("? keys");
    screen.wait(" 0.5 (3f000000)   c0.a gain, line 2");
    screen.press(":break 17\r\r");
    screen.wait("? keys");
    screen.press("cc");
    screen.wait_title("step 16, point");
    screen.wait("*count ");
    screen.wait("*r1 count");
    let text = screen.text();
    assert!(text.find("*count ") < text.find("*r1 count"), "{text}");
    screen.press("q");
    assert!(screen.end().success());
}

#[test]
fn the_picture_has_colours_or_not() {
    let dir = folder();
    for color in [true, false] {
        let mut screen = Screen::start(dir.path(), SMALL, &["passes.toml"], color);
        screen.wait("o0: 5 x 3");
        screen.wait_title("repetition 0 of 3");
        screen.press(":point 1,1\rpass 0 2\rstep 5\r");
        screen.wait_title("repetition 2 of 3, group 0, step 5");
        screen.wait("[#]# # # x");
        // Half blocks: two rows of elements in a line of characters. The last column is killed.
        let (first, second) = if color {
            ("│X▀▀▀▀ ", "│▀▀▀▀▀ ")
        } else {
            ("│X███· ", "│▀▀▀▀· ")
        };
        screen.wait(first);
        screen.wait(second);
        let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
        let colored = cells
            .filter_map(|(row, column)| screen.parser.screen().cell(row, column))
            .any(|cell| (cell.fgcolor(), cell.bgcolor()) != (Color::Default, Color::Default));
        assert_eq!(colored, color);
        screen.press("\x03");
        assert!(screen.end().success());
    }
}

#[test]
fn the_command_line_completes_and_remembers() {
    let dir = folder();
    let mut screen = Screen::start(dir.path(), SMALL, &["calls.toml"], false);
    screen.wait("? keys");
    screen.press(":got\t");
    screen.wait(": goto");
    screen.press("7\r");
    screen.wait_title("step 7, point");
    screen.press("break ad\t\r");
    screen.wait("stop 1: break at label add_one");
    screen.press("reverse-\t");
    screen.wait("[reverse-next reverse-finish reverse-continue reverse-until]");
    screen.press("c\t\r");
    screen.wait_title("step 4, point");
    // History: the line that was begun comes back at its end.
    screen.press("print su\x1b[A\x1b[A\x1b[A");
    screen.wait(": goto 7");
    screen.press("\x1b[B\x1b[B\x1b[B");
    screen.wait(": print su");
    screen.press("\t\x7f.r\r");
    screen.wait("sum.r = 0 (00000000)");
    screen.press("\x1b[A\x01\x0bgoto 99\r");
    screen.wait("error: the group ends at step 23");
    screen.press("wrong\r");
    screen.wait("error: `wrong` is no command;");
    // An empty line leaves; then keys are keys.
    screen.press("\rs");
    screen.wait_title("step 5, point");
    screen.press("g4\r");
    screen.wait_title("step 4, point");
    screen.press("\x04");
    assert!(screen.end().success());
}

#[test]
fn help_lists_the_keys_and_answers_scroll() {
    let dir = folder();
    let mut screen = Screen::start(dir.path(), SMALL, &["calls.toml"], false);
    screen.wait("? keys");
    screen.press("?");
    screen.wait("s  b         step, back: one instruction");
    screen.wait("Any key closes this list.");
    screen.press("s");
    screen.wait("=> >pc 0: ");
    screen.press(":help\r\r");
    screen.wait("such as v.y or");
    screen.press("\x1b[5~\x1b[5~\x1b[5~");
    screen.wait_gone("such as v.y or");
    screen.press("\x1b[6~\x1b[6~\x1b[6~");
    screen.wait("such as v.y or");
    screen.press("q");
    assert!(screen.end().success());
}

#[test]
fn a_small_terminal_is_told_and_a_larger_one_used() {
    let dir = folder();
    let mut screen = Screen::start(dir.path(), (60, 10), &["calls.toml"], false);
    screen.wait("The terminal has 60 x 10 characters.");
    screen.wait("This screen needs 80 x 24.");
    for (columns, rows) in [SMALL, LARGE, (90, 30)] {
        screen.pty.resize(Size::new(rows, columns)).expect("its size");
        let size = size(rows, columns);
        screen.parser.set_size(size.0, size.1);
        screen.press(&format!(":print {columns}\r"));
        screen.wait_gone("This screen needs");
        screen.wait(&format!("{columns} = {columns}"));
        screen.press("\x1b");
        screen.wait("? keys");
    }
    screen.press("q");
    assert!(screen.end().success());
}

#[test]
fn ctrl_c_stops_a_command_and_ends_a_session_at_rest() {
    let dir = folder();
    let mut screen = Screen::start(dir.path(), SMALL, &["endless.toml"], false);
    screen.wait("? keys");
    screen.press("c");
    screen.wait("running; Ctrl-C stops it");
    screen.press("\x03");
    screen.wait("error: cancelled");
    screen.wait("? keys");
    assert!(!screen.text().lines().next().expect("a title").contains("step 0,"));
    // The session goes on where it was stopped.
    screen.press(":goto 3\r");
    screen.wait_title("step 3, point");
    screen.press("step 1000000000000\r");
    screen.wait("running; Ctrl-C stops it");
    screen.press("\x03");
    screen.wait_gone("running; Ctrl-C stops it");
    screen.press("\x03");
    assert!(screen.end().success());
}

#[test]
fn a_resize_during_a_command_keeps_the_panes() {
    let dir = folder();
    let mut screen = Screen::start(dir.path(), SMALL, &["endless.toml"], false);
    screen.wait("? keys");
    screen.press("c");
    screen.wait("running; Ctrl-C stops it");
    let (columns, rows) = (120, 40);
    screen.pty.resize(Size::new(rows, columns)).expect("its size");
    let new = size(rows, columns);
    screen.parser.set_size(new.0, new.1);
    // The last line is drawn last.
    let last = |screen: &Screen| screen.parser.screen().rows(0, columns).last();
    while !last(&screen).is_some_and(|line| line.starts_with("running; Ctrl-C stops it")) {
        assert!(screen.read(), "{}", screen.text());
    }
    for pane in ["fault.dpp", "instructions", "registers of (0, 0)", "points", "answers"] {
        assert!(screen.text().contains(pane), "no {pane}:\n{}", screen.text());
    }
    assert!(screen.text().contains("=> >pc 0: add r1.r, r1.r, 1"), "{}", screen.text());
    screen.press("\x03");
    screen.wait("error: cancelled");
    screen.press("q");
    assert!(screen.end().success());
}

#[test]
fn a_signal_ends_the_session_and_restores_the_terminal() {
    let dir = folder();
    for running in [false, true] {
        let mut screen = Screen::start(dir.path(), SMALL, &["endless.toml"], false);
        screen.wait("? keys");
        if running {
            screen.press("c");
            screen.wait("running; Ctrl-C stops it");
        }
        let id = screen.child.id().to_string();
        let killed = std::process::Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.expect("kill").success());
        assert_eq!(screen.end().signal(), Some(15));
    }
}

#[test]
fn a_closed_terminal_ends_the_session() {
    let dir = folder();
    // The terminal is closed right after it was drawn, when a session looks at it.
    let cases = [(false, false), (true, false), (false, true), (true, true)];
    for (running, ignored) in cases.repeat(4) {
        // With SIGHUP ignored, as under nohup, only the terminal itself tells.
        let trap = if ignored {
            "trap '' HUP; exec \"$0\" debug endless.toml 2>error"
        } else {
            "exec \"$0\" debug endless.toml"
        };
        let command = Command::new("sh").args(["-c", trap, env!("CARGO_BIN_EXE_ctm")]);
        let mut screen = Screen::spawn(command, dir.path(), SMALL);
        screen.wait("? keys");
        if running {
            screen.press("c");
            screen.wait("running; Ctrl-C stops it");
        }
        let Screen { pty, child, .. } = screen;
        drop(pty);
        let status = status_of(child);
        if ignored {
            assert_eq!(status.code(), Some(2));
            let error = fs::read_to_string(dir.path().join("error")).expect("text");
            assert!(error.starts_with("ctm: "), "{error}");
        } else {
            // The system closes the terminal and sends SIGHUP; a session may see the first before.
            assert!(status.signal() == Some(1) || status.code() == Some(2), "{status}")
        }
    }
}

#[test]
fn commands_of_a_file_come_first() {
    let dir = folder();
    fs::write(dir.path().join("s"), "break add_one\n\ncontinue\n").expect("written");
    fs::write(dir.path().join("wrong"), "step\n\nstep x\nstep\n").expect("written");
    let mut screen = Screen::start(dir.path(), SMALL, &["calls.toml", "-x", "s"], false);
    screen.wait_title("step 4, point");
    screen.press("q");
    assert!(screen.end().success());
    let mut screen = Screen::start(dir.path(), LARGE, &["calls.toml", "-x", "wrong"], false);
    screen.wait("error: wrong:3: expected a number of steps, found `x`");
    screen.press(":quit\r");
    assert!(screen.end().success());
}

#[test]
fn without_a_terminal_there_is_no_screen() {
    let dir = folder();
    let ran = ctm(dir.path(), &["debug", "calls.toml"]);
    assert_eq!((ran.status, &ran.out[..]), (2, ""));
    let want = "ctm: standard input and output are not both a terminal; use --batch, and -x FILE for a file with commands\n";
    assert_eq!(ran.err, want);
}
