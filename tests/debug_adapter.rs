//! `ctm debug --dap`: a scripted client. Each file in tests/debug_adapter is a session: lines with
//! `> ` are requests, those with `! ` bodies that are sent as they are, and lines with `< ` what comes
//! back. With CTM_BLESS=1 the files are rewritten.

#[path = "common/cli.rs"]
mod cli;

use cli::start;
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
    // It reads no more, but still asks.
    drop(output);
    let mut input = input.expect("open");
    let body = r#"{"seq":9,"type":"request","command":"threads"}"#;
    for _ in 0..3 {
        let message = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        if input.write_all(message.as_bytes()).is_err() {
            break;
        }
    }
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_run_can_be_interrupted() {
    let dir = folder();
    let source = "again:\nadd r1.r, r1.r, 1\njump -> again\nend\nmov o0, r1\n";
    fs::write(dir.path().join("endless.dpp"), source).expect("written");
    let job = "version = 1
program = { file = \"endless.dpp\" }
limits = { instructions = 1000000000000 }
domain = { i0 = 0, j0 = 0, i1 = 0, j1 = 0 }
[[output]]
slot = 0
format = \"FLOAT32_4\"
";
    fs::write(dir.path().join("endless.toml"), job).expect("written");
    let mut client = Client::new(dir.path());
    client.launch("endless.toml");
    // Runs without end until the pause; its response comes once the run has stopped.
    client.ask("continue", json!({ "threadId": 1 }));
    client.request("pause", &json!({ "threadId": 1 }));
    assert_eq!(client.event("stopped")["reason"], "pause");
    let message = client.read().expect("the response");
    assert_eq!((&message["command"], &message["success"]), (&json!("pause"), &json!(true)));
    // The session is where the run was, and goes on from there.
    let text = |client: &mut Client, expression: &str| {
        let body = client.ask("evaluate", json!({ "expression": expression }));
        body["result"].as_str().expect("text").parse::<u64>().expect("a number")
    };
    // It may have been stopped before its first step.
    let step = text(&mut client, "step");
    client.ask("next", json!({ "threadId": 1 }));
    client.event("stopped");
    assert_eq!(text(&mut client, "step"), step + 1);
    client.ask("stepBack", json!({ "threadId": 1 }));
    client.event("stopped");
    assert_eq!(text(&mut client, "step"), step);
    // A client that leaves during a run does not wait for it.
    client.ask("continue", json!({ "threadId": 1 }));
    client.request("disconnect", &Value::Null);
    let (lines, status, error) = client.end();
    assert_eq!((lines.last().map(String::as_str), status, error.as_str()), (Some("< ok"), 0, ""));
}
