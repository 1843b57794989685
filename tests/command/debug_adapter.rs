//! `ctm debug --dap`: a scripted client. Each file in tests/debug_adapter is a session: lines with
//! `> ` are requests, those with `! ` bodies that are sent as they are, and lines with `< ` what comes
//! back. With CTM_BLESS=1 the files are rewritten.

use crate::cli::start;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout};

/// After these requests, if they succeed, the adapter says where it stopped.
const MOVES: [&str; 9] = [
    "configurationDone",
    "continue",
    "reverseContinue",
    "next",
    "stepBack",
    "stepIn",
    "stepOut",
    "goto",
    "restart",
];

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: i64,
    messages: i64,
    folder: String,
}

impl Client {
    fn new(dir: &Path) -> Client {
        let mut child = start(dir, &["debug", "--dap"]);
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let folder = dir.canonicalize().expect("the folder").display().to_string();
        Client { child, input, output, requests: 0, messages: 0, folder }
    }

    fn write(&mut self, bytes: &str) {
        self.input.as_mut().expect("open").write_all(bytes.as_bytes()).expect("written");
    }

    fn body(&mut self, body: &str) {
        self.write(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    }

    fn request(&mut self, command: &str, arguments: &Value) {
        self.requests += 1;
        let mut body = json!({ "seq": self.requests, "type": "request", "command": command });
        if !arguments.is_null() {
            body["arguments"] = arguments.clone();
        }
        self.body(&body.to_string());
    }

    /// The next message; `None` at the end.
    fn read(&mut self) -> Option<Value> {
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).expect("text") == 0 {
                assert_eq!(length, None, "the end within a header");
                return None;
            }
            match line.trim_end() {
                "" => break,
                line => {
                    let number = line.strip_prefix("Content-Length: ").expect("a length");
                    length = Some(number.parse::<usize>().expect("a number"));
                }
            }
        }
        let mut body = vec![0; length.expect("a length")];
        self.output.read_exact(&mut body).expect("a body");
        let text = String::from_utf8(body).expect("UTF-8").replace(&self.folder, "FOLDER");
        let message: Value = serde_json::from_str(&text).expect("JSON");
        self.messages += 1;
        assert_eq!(message["seq"], self.messages, "numbered without a gap");
        assert_ne!(message.get("body"), Some(&Value::Null), "a body is left out, not null");
        Some(message)
    }

    /// Reads until the response to the last request, and what follows it for certain. Adds each
    /// message as a line.
    fn answer(&mut self, command: &str, lines: &mut Vec<String>) {
        let (mut waits, mut answered) = (true, false);
        while waits {
            let Some(message) = self.read() else {
                let mut error = String::new();
                let from = self.child.stderr.as_mut().expect("a pipe");
                from.read_to_string(&mut error).expect("text");
                panic!("the adapter ends at {command}: {error}");
            };
            let is_response = message["type"] == "response";
            if is_response {
                assert_eq!(message["request_seq"], self.requests);
                assert_eq!(message["command"], command);
                answered = true;
                waits = MOVES.contains(&command) && message["success"] == true;
            } else if matches!(message["event"].as_str(), Some("stopped" | "terminated")) {
                // Before the response it belongs to a command of the console.
                waits = !answered;
            }
            lines.push(line(&message));
        }
    }

    /// Sends a request, and returns the body of the response.
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.request(command, &arguments);
        loop {
            let message = self.read().expect("an answer");
            if message["type"] == "response" && message["request_seq"] == self.requests {
                assert_eq!(message["success"], true, "{message}");
                return message["body"].clone();
            }
        }
    }

    /// Waits for an event.
    fn event(&mut self, event: &str) -> Value {
        loop {
            let message = self.read().expect("an event");
            if message["event"] == event {
                return message["body"].clone();
            }
        }
    }

    fn launch(&mut self, program: &str) {
        self.ask("initialize", json!({ "adapterID": "ctm" }));
        self.ask("launch", json!({ "program": program, "stopOnEntry": true }));
        self.ask("configurationDone", Value::Null);
        assert_eq!(self.event("stopped")["reason"], "entry");
    }

    /// Closes the input and waits. Returns the messages that were left, the status, and standard
    /// error.
    fn end(mut self) -> (Vec<String>, i32, String) {
        self.input = None;
        let mut lines = Vec::new();
        while let Some(message) = self.read() {
            lines.push(line(&message));
        }
        let mut error = String::new();
        let mut from = self.child.stderr.take().expect("a pipe");
        from.read_to_string(&mut error).expect("text");
        let status = self.child.wait().expect("it ends");
        (lines, status.code().expect("a status"), error)
    }
}

/// A message as a line of a session.
fn line(message: &Value) -> String {
    let body = match &message["body"] {
        Value::Null => String::new(),
        body => format!(" {body}"),
    };
    match (message["type"].as_str(), message["success"].as_bool()) {
        (Some("response"), Some(true)) => format!("< ok{body}"),
        (Some("response"), Some(false)) => {
            assert_eq!(message["body"]["error"]["showUser"], true);
            format!("< error {}", message["message"].as_str().expect("a message"))
        }
        (Some("event"), None) => {
            format!("< event {}{body}", message["event"].as_str().expect("a name"))
        }
        _ => panic!("{message}"),
    }
}

/// The jobs, in a folder where sessions may write nothing.
fn folder() -> tempfile::TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debug_sessions");
    let dir = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(root).expect("the folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|e| e != "txt") {
            fs::copy(&path, dir.path().join(path.file_name().expect("a name"))).expect("copied");
        }
    }
    // Four points, of which two take each way; and a program without lines.
    let calls = fs::read_to_string(dir.path().join("calls.toml")).expect("text");
    let few = calls.replace("i1 = 8, j1 = 7", "i1 = 3, j1 = 0");
    fs::write(dir.path().join("few.toml"), few).expect("written");
    let words = "00078005 08020100 08020100 00db0220 00c0c000 20490000\n";
    fs::write(dir.path().join("bare.hex"), words).expect("written");
    let bare = "version = 1
program = { file = \"bare.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 1, j1 = 0 }
constants = { float = { 0 = [0.25, 1, 2, -1] } }
[[output]]
slot = 0
format = \"FLOAT32_4\"
";
    fs::write(dir.path().join("bare.toml"), bare).expect("written");
    // Outputs that are written in whole, in part, and in one channel.
    let source = "mov o0, {1, 2, 0, 4}\nmov o1.ga, 3\nmov o2.b, 5\nend\n";
    fs::write(dir.path().join("outputs.dpp"), source).expect("written");
    let mut outputs = "version = 1\nprogram = { file = \"outputs.dpp\" }\n\
        domain = { i0 = 0, j0 = 0, i1 = 0, j1 = 0 }\n"
        .to_string();
    for slot in 0..3 {
        outputs += &format!("[[output]]\nslot = {slot}\nformat = \"FLOAT32_4\"\n");
    }
    fs::write(dir.path().join("outputs.toml"), outputs).expect("written");
    dir
}

fn sessions() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debug_adapter");
    let entries = fs::read_dir(root).expect("the folder").map(|e| e.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    files
}

#[test]
fn sessions_answer_as_they_should() {
    let dir = folder();
    let before = fs::read_dir(dir.path()).expect("the folder").count();
    for path in sessions() {
        let want = fs::read_to_string(&path).expect("text");
        let mut client = Client::new(dir.path());
        let mut lines = Vec::new();
        for request in want.lines() {
            if let Some(body) = request.strip_prefix("! ") {
                lines.push(request.to_string());
                client.body(body);
            } else if let Some(request) = request.strip_prefix("> ") {
                lines.push(format!("> {request}"));
                let (command, arguments) = request.split_once(' ').unwrap_or((request, "null"));
                let arguments = arguments.replace("FOLDER", &client.folder);
                let arguments = serde_json::from_str(&arguments).expect("JSON");
                client.request(command, &arguments);
                client.answer(command, &mut lines);
            } else if request.starts_with('#') {
                lines.push(request.to_string());
            }
        }
        let (rest, status, error) = client.end();
        lines.extend(rest);
        assert_eq!((status, error.as_str()), (0, ""), "{}", path.display());
        let got = lines.join("\n") + "\n";
        if std::env::var_os("CTM_BLESS").is_some() {
            fs::write(&path, &got).expect("written");
        }
        assert_eq!(got, fs::read_to_string(&path).expect("text"), "{}", path.display());
    }
    assert_eq!(fs::read_dir(dir.path()).expect("the folder").count(), before);
}

#[test]
fn a_header_that_cannot_be_read_ends_the_adapter() {
    let dir = folder();
    for (input, error) in [
        ("hello\r\n\r\n", "header: expected `Content-Length: N`, found `hello`"),
        (
            "Content-Length: many\r\n\r\n",
            "header: Content-Length: many: expected a number up to 16777216",
        ),
        ("Content-Length: 20\r\n\r\n{}", "the stream ends within a body, after 2 of 20 bytes"),
        ("Content-Le", "header: the stream ends within it"),
    ] {
        let mut client = Client::new(dir.path());
        client.ask("initialize", json!({}));
        client.write(input);
        let (lines, status, text) = client.end();
        assert_eq!((lines, status), (Vec::new(), 2));
        assert_eq!(text, format!("ctm: {error}\n"));
    }
    // Nothing at all is a client that has gone.
    let (lines, status, text) = Client::new(dir.path()).end();
    assert_eq!((lines, status, text.as_str()), (Vec::new(), 0, ""));
}

#[test]
fn a_client_that_is_gone_ends_the_adapter() {
    let dir = folder();
    let mut client = Client::new(dir.path());
    client.launch("passes.toml");
    let Client { mut child, input, output, .. } = client;
    // It reads no more, but still asks. A process that another test starts at this moment can hold the
    // pipe for a while, so the first answers may still find a reader.
    drop(output);
    let mut input = input.expect("open");
    let body = r#"{"seq":9,"type":"request","command":"threads"}"#;
    let message = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    while child.try_wait().expect("a status").is_none() {
        if input.write_all(message.as_bytes()).is_err() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

/// A job that runs for ever: at pc 0 and 1 until `r2.r` is not 0, which it never is.
const ENDLESS: &str = "version = 1
program = { file = \"endless.dpp\" }
limits = { instructions = 1000000000000 }
domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 0 }
[[output]]
slot = 0
format = \"FLOAT32_4\"
";

/// A client of an endless job before its first instruction.
fn endless(dir: &Path) -> Client {
    let source = "again:\nadd r1.r, r1.r, 1\njump -> again\nend\nmov o0, r1\n";
    fs::write(dir.join("endless.dpp"), source).expect("written");
    fs::write(dir.join("endless.toml"), ENDLESS).expect("written");
    let mut client = Client::new(dir);
    client.launch("endless.toml");
    client
}

/// The value of an expression as a number.
fn number(client: &mut Client, expression: &str) -> u64 {
    let body = client.ask("evaluate", json!({ "expression": expression }));
    body["result"].as_str().expect("text").parse::<u64>().expect("a number")
}

#[test]
fn a_run_can_be_interrupted() {
    let dir = folder();
    let mut client = endless(dir.path());
    // Runs without end until the pause.
    client.ask("continue", json!({ "threadId": 1 }));
    client.ask("pause", json!({ "threadId": 1 }));
    assert_eq!(client.event("stopped")["reason"], "pause");
    // The session is where the run was, and goes on from there.
    // It may have been stopped before its first step.
    let step = number(&mut client, "step");
    client.ask("next", json!({ "threadId": 1 }));
    client.event("stopped");
    assert_eq!(number(&mut client, "step"), step + 1);
    client.ask("stepBack", json!({ "threadId": 1 }));
    client.event("stopped");
    assert_eq!(number(&mut client, "step"), step);
    // A client that leaves during a run does not wait for it.
    client.ask("continue", json!({ "threadId": 1 }));
    client.request("disconnect", &Value::Null);
    let (lines, status, error) = client.end();
    assert_eq!((lines, status, error.as_str()), (vec!["< ok".to_string()], 0, ""));
}

#[test]
fn requests_are_answered_during_a_run() {
    let dir = folder();
    let mut client = endless(dir.path());
    client.ask("continue", json!({ "threadId": 1 }));
    let threads = client.ask("threads", Value::Null);
    assert_eq!(threads["threads"].as_array().expect("a list").len(), 4);
    client.ask("source", json!({ "source": { "path": "endless.dpp" } }));
    // What needs a stopped session is refused, and the run goes on.
    for (command, arguments) in [
        ("next", json!({ "threadId": 1 })),
        ("stackTrace", json!({ "threadId": 1 })),
        ("evaluate", json!({ "expression": "step", "context": "repl" })),
    ] {
        client.request(command, &arguments);
        let refused = client.read().expect("an answer");
        let found = (&refused["command"], &refused["success"], &refused["message"]);
        assert_eq!(found, (&json!(command), &json!(false), &json!("notStopped")));
        assert_eq!(refused["body"]["error"]["format"], "the job runs; pause stops it");
    }
    // Breakpoints stop the run that they are set in.
    let set = |lines: Value| json!({ "source": { "path": "endless.dpp" }, "breakpoints": lines });
    let answer = client.ask("setBreakpoints", set(json!([{ "line": 3 }])));
    assert_eq!(answer["breakpoints"][0]["verified"], true);
    let stopped = client.event("stopped");
    assert_eq!(stopped["reason"], "breakpoint");
    assert_eq!(stopped["hitBreakpointIds"], json!([answer["breakpoints"][0]["id"]]));
    assert_eq!(number(&mut client, "pc"), 1);
    // One that is taken away does not.
    client.ask("setBreakpoints", set(json!([])));
    client.ask("continue", json!({ "threadId": 1 }));
    let data = json!({ "breakpoints": [{ "dataId": "r1.r", "condition": "column == 2" }] });
    client.ask("setDataBreakpoints", data);
    client.ask("setDataBreakpoints", json!({ "breakpoints": [] }));
    client.ask(
        "setInstructionBreakpoints",
        json!({ "breakpoints": [{ "instructionReference": "0" }] }),
    );
    assert_eq!(client.event("stopped")["reason"], "instruction breakpoint");
    // Commands of the console are runs, too.
    client.ask("setInstructionBreakpoints", json!({ "breakpoints": [] }));
    client.request("evaluate", &json!({ "expression": "continue", "context": "repl" }));
    client.requests += 1;
    let body = json!({ "seq": client.requests, "type": "request", "command": "threads" });
    client.body(&body.to_string());
    let answer = client.read().expect("an answer");
    assert_eq!((&answer["command"], &answer["success"]), (&json!("threads"), &json!(true)));
    client.ask("pause", json!({ "threadId": 1 }));
    let answer = client.read().expect("an answer");
    assert_eq!((&answer["command"], &answer["message"]), (&json!("evaluate"), &json!("cancelled")));
    assert_eq!(client.event("stopped")["reason"], "pause");
    // `restart` and `terminate` stop a run, without an event for it.
    client.ask("continue", json!({ "threadId": 1 }));
    client.ask("restart", Value::Null);
    assert_eq!(client.event("stopped")["reason"], "entry");
    assert_eq!(number(&mut client, "step"), 0);
    client.ask("continue", json!({ "threadId": 1 }));
    client.ask("terminate", Value::Null);
    let (lines, status, _) = client.end();
    assert_eq!((lines, status), (vec!["< event terminated".to_string()], 0));
}

#[test]
fn the_end_of_the_input_stops_a_run() {
    let dir = folder();
    let mut client = endless(dir.path());
    client.ask("continue", json!({ "threadId": 1 }));
    assert_eq!(client.end(), (Vec::new(), 0, String::new()));
    let mut client = endless(dir.path());
    client.ask("continue", json!({ "threadId": 1 }));
    client.write("hello\r\n\r\n");
    let error = "ctm: header: expected `Content-Length: N`, found `hello`\n";
    // The input stays open.
    let input = client.input.take();
    assert_eq!(client.end(), (Vec::new(), 2, error.to_string()));
    drop(input);
}

/// Commands of the console that run nothing end before the next request is looked at.
#[test]
fn commands_that_run_nothing_are_answered_in_turn() {
    let dir = folder();
    let mut client = endless(dir.path());
    let repl = |text: &str| json!({ "expression": text, "context": "repl" });
    for _ in 0..20 {
        client.request("evaluate", &repl("where"));
        client.request("stackTrace", &json!({ "threadId": 1 }));
        client.request("evaluate", &repl("print r1.r"));
        client.request("evaluate", &repl("registers"));
        for _ in 0..4 {
            let answer = client.read().expect("an answer");
            assert_eq!(answer["success"], true, "{answer}");
        }
    }
    client.ask("disconnect", Value::Null);
}
