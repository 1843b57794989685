//! Headless Chromium with a page (page.html) that compiles shaders with Tint, its WGSL compiler, and
//! visits other pages, on SwiftShader, its Vulkan driver for the CPU.
//!
//! The page and this server exchange JSON over HTTP on the loopback address: the page posts an answer
//! and gets the next task as the reply. There is one client and few paths, so the server is a few
//! lines over `TcpListener`.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PAGE: &str = include_str!("page.html");

/// The names under which systems install Chromium. `CTM_CHROMIUM` names another program.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS: [&str; 9] = [
    "--headless=new",
    // Its sandbox refuses to run as root.
    "--no-sandbox",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-extensions",
    // It fetches nothing from elsewhere.
    "--disable-background-networking",
    "--disable-component-update",
];

/// The longest that a task may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the page is to do.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Task<'a> {
    /// Compile a shader.
    Compile(&'a str),
    /// Open the page at `/visited`, and run the body of an asynchronous function of `page`, its document.
    Visit(&'a str),
}

/// A message of the compiler.
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    /// `error`, `warning` or `info`.
    pub kind: String,
    /// Counted from 1; 0 if there is none.
    pub line: usize,
    pub column: usize,
    pub text: String,
}

/// What the page says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    adapter: String,
    failure: Option<String>,
    messages: Vec<Message>,
    result: String,
}

/// Messages of the compiler with the lines of the shader that they are about, if there are any.
pub fn report(messages: &[Message], wgsl: &str) -> Option<String> {
    let lines: Vec<&str> = wgsl.lines().collect();
    let text = messages.iter().map(|Message { kind, line, column, text }| {
        let code = line.checked_sub(1).and_then(|line| lines.get(line)).unwrap_or(&"");
        format!("  {line}:{column}: {kind}: {text}\n      | {code}\n")
    });
    let text: String = text.collect();
    (!text.is_empty()).then_some(text)
}

/// A running browser.
pub struct Chromium {
    process: Child,
    said: Receiver<(String, TcpStream)>,
    /// The connection that waits for the next task.
    waiting: Option<TcpStream>,
    /// What the page's adapter is called.
    pub adapter: String,
    /// The page at `/visited`.
    visited: Arc<Mutex<String>>,
    _profile: TempDir,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Chromium {
    /// Starts the browser, and waits until the page has a device.
    pub fn start() -> Chromium {
        let server = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = server.local_addr().expect("an address");
        let (sender, said) = channel();
        let visited: Arc<Mutex<String>> = Arc::default();
        let shown = visited.clone();
        std::thread::spawn(move || {
            // A browser also opens connections that it may need later, so each has a thread.
            for stream in server.incoming().flatten() {
                let (sender, shown) = (sender.clone(), shown.clone());
                std::thread::spawn(move || serve(stream, &sender, &shown));
            }
        });
        let profile = tempfile::tempdir().expect("a folder");
        let mut folder = OsString::from("--user-data-dir=");
        folder.push(profile.path());
        let named = std::env::var_os("CTM_CHROMIUM");
        let names = match &named {
            Some(named) => vec![named.clone()],
            None => NAMES.map(OsString::from).to_vec(),
        };
        let start = |name: &OsString| {
            let mut command = Command::new(name);
            command.args(FLAGS).arg(&folder).arg(format!("http://{address}/"));
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().ok()
        };
        let process = names.iter().find_map(start);
        let process = process.unwrap_or_else(|| panic!("there is no browser: {names:?}"));
        let adapter = String::new();
        let (waiting, _profile) = (None, profile);
        let mut started = Chromium { process, said, waiting, adapter, visited, _profile };
        started.adapter = started.hear().adapter;
        started
    }

    /// Compiles a shader. Returns what the compiler has to say.
    pub fn compile(&mut self, wgsl: &str) -> Vec<Message> {
        self.ask(&Task::Compile(wgsl)).messages
    }

    /// Opens a page and runs the body of an asynchronous JavaScript function of `page`, its document.
    /// Returns the string that it returns.
    pub fn visit(&mut self, page: String, script: &str) -> String {
        *self.visited.lock().expect("no panic") = page;
        self.ask(&Task::Visit(script)).result
    }

    fn ask(&mut self, task: &Task) -> Said {
        let text = serde_json::to_vec(task).expect("text");
        let mut waiting = self.waiting.take().expect("the page waits");
        reply(&mut waiting, "200 OK", "application/json", &text).expect("the page waits");
        self.hear()
    }

    /// What the page says next.
    fn hear(&mut self) -> Said {
        let end = Instant::now() + PATIENCE;
        let (body, stream) = loop {
            match self.said.recv_timeout(Duration::from_secs(1)) {
                Ok(heard) => break heard,
                Err(RecvTimeoutError::Disconnected) => panic!("the server has ended"),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let ended = self.process.try_wait().expect("a process");
            assert!(ended.is_none(), "the browser has ended: {ended:?}");
            assert!(Instant::now() < end, "the page says nothing");
        };
        self.waiting = Some(stream);
        let said: Said = serde_json::from_str(&body)
            .unwrap_or_else(|error| panic!("{error} in what the page says: {body}"));
        if let Some(failure) = &said.failure {
            panic!("the page: {failure}");
        }
        said
    }
}

/// Reads one request. Serves a page, or passes on what it posts, with the connection to reply on.
fn serve(mut stream: TcpStream, sender: &Sender<(String, TcpStream)>, visited: &Mutex<String>) {
    let Ok((head, body)) = request(&stream) else { return };
    // An error means that the other side is gone.
    let _ = if head.starts_with("POST / ") {
        sender.send((body, stream)).map_err(|_| ())
    } else if head.starts_with("GET /visited") {
        let page = visited.lock().expect("no panic").clone();
        reply(&mut stream, "200 OK", "text/html", page.as_bytes()).map_err(|_| ())
    } else if head.starts_with("GET / ") {
        reply(&mut stream, "200 OK", "text/html", PAGE.as_bytes()).map_err(|_| ())
    } else {
        reply(&mut stream, "404 Not Found", "text/plain", b"").map_err(|_| ())
    };
}

/// The first line and the body of a request.
fn request(stream: &TcpStream) -> std::io::Result<(String, String)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    reader.read_line(&mut head)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    Ok((head, body))
}

fn reply(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    )?;
    stream.write_all(body)
}
