//! Messages of the Debug Adapter Protocol: a header with the length of a body, and a body of JSON.

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// The longest line of a header, in bytes.
const MAX_LINE: u64 = 4 << 10;

/// The longest body, in bytes.
const MAX_BODY: u64 = 16 << 20;

/// The error of a request that cannot be done during a run.
pub const RUNS: &str = "the job runs; pause stops it";

/// A request of the client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Request {
    /// Its number.
    pub seq: i64,
    /// The command.
    pub command: String,
    /// Null if there are none.
    #[serde(default)]
    pub arguments: Value,
}

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A request.
    Request(Request),
    /// A body that is no request, and why.
    Strange(String),
}

/// Reads a message; `None` at the end of the stream.
///
/// # Errors
/// If a header cannot be read, or the stream ends within a message.
pub fn read(from: &mut impl BufRead) -> anyhow::Result<Option<Message>> {
    let mut length: Option<u64> = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        let read = from.take(MAX_LINE).read_until(b'\n', &mut line);
        let read = read.context("cannot read standard input")?;
        if read == 0 && first {
            return Ok(None);
        }
        first = false;
        let Some(line) = line.strip_suffix(b"\n") else {
            match read as u64 {
                MAX_LINE => bail!("header: a line is longer than {MAX_LINE} bytes"),
                _ => bail!("header: the stream ends within it"),
            }
        };
        let line = std::str::from_utf8(line).context("header: it is not text")?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            bail!("header: expected `Content-Length: N`, found `{}`", line.escape_debug());
        };
        if !name.trim().eq_ignore_ascii_case("Content-Length") {
            continue;
        }
        let value = value.trim();
        let number = value.parse().ok().filter(|&n: &u64| n <= MAX_BODY).with_context(|| {
            let value = value.escape_debug();
            format!("header: Content-Length: {value}: expected a number up to {MAX_BODY}")
        })?;
        if length.replace(number).is_some() {
            bail!("header: it has two Content-Length");
        }
    }
    let length = length.context("header: it has no Content-Length")?;
    let mut body = Vec::new();
    from.take(length).read_to_end(&mut body).context("cannot read standard input")?;
    if body.len() as u64 != length {
        bail!("the stream ends within a body, after {} of {length} bytes", body.len());
    }
    Ok(Some(message(&body)))
}

fn message(body: &[u8]) -> Message {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => return Message::Strange(format!("a message is not JSON: {error}")),
    };
    match (value["type"] == "request").then(|| Request::deserialize(value)) {
        Some(Ok(request)) => Message::Request(request),
        _ => Message::Strange(
            "a message is no request: expected an object with \"type\": \"request\", \"seq\" and \
             \"command\""
                .to_string(),
        ),
    }
}

/// Writes messages, numbered from 1.
pub struct Output<W> {
    to: W,
    seq: i64,
}

impl<W: Write> Output<W> {
    /// Before the first message.
    pub fn new(to: W) -> Output<W> {
        Output { to, seq: 0 }
    }

    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.seq += 1;
        message["seq"] = self.seq.into();
        let body = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        self.to.flush()
    }

    /// Sends an event; without a body if that is null.
    pub fn event(&mut self, event: &str, body: Value) -> io::Result<()> {
        let mut message = json!({ "seq": 0, "type": "event", "event": event });
        if !body.is_null() {
            message["body"] = body;
        }
        self.send(message)
    }

    /// Answers a request that was done, or was not and why.
    pub fn answer(&mut self, request: &Request, result: anyhow::Result<Value>) -> io::Result<()> {
        let mut message = json!({
            "seq": 0,
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": result.is_ok(),
        });
        match result {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(error) => {
                let why = error.to_string();
                // The format of the full text has variables in braces; this one has none.
                let format = why.replace('{', "(").replace('}', ")");
                // The protocol's word for this one is `notStopped`.
                let runs = why == RUNS;
                message["message"] = if runs { "notStopped".into() } else { why.into() };
                message["body"]["error"] = json!({ "id": 1, "format": format, "showUser": !runs });
            }
        }
        self.send(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> (Vec<Message>, String) {
        let mut from = text.as_bytes();
        let mut messages = Vec::new();
        loop {
            match read(&mut from) {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => return (messages, String::new()),
                Err(error) => return (messages, error.to_string()),
            }
        }
    }

    #[test]
    fn headers_are_read_or_refused() {
        let body = r#"{"seq":3,"type":"request","command":"next"}"#;
        let request =
            Message::Request(Request { seq: 3, command: "next".into(), arguments: Value::Null });
        let n = body.len();
        for header in [
            format!("Content-Length: {n}\r\n\r\n"),
            format!("content-length:{n}\nContent-Type: x; charset=utf-8\n\n"),
        ] {
            let (messages, error) = read_all(&format!("{header}{body}{header}{body}"));
            assert_eq!((messages, error), (vec![request.clone(); 2], String::new()));
        }
        for (text, error) in [
            ("\r\n".to_string(), "header: it has no Content-Length"),
            (
                "Content-Length: 1\nContent-Length: 1\n\n1".into(),
                "header: it has two Content-Length",
            ),
            (
                "Content-Length: -1\n\n".into(),
                "header: Content-Length: -1: expected a number up to 16777216",
            ),
            (
                "Content-Length: 99999999999999999999\n\n".into(),
                "header: Content-Length: 99999999999999999999: expected a number up to 16777216",
            ),
            ("hello\n\n".into(), "header: expected `Content-Length: N`, found `hello`"),
            ("Content-Length: 1".into(), "header: the stream ends within it"),
            ("x".repeat(5000), "header: a line is longer than 4096 bytes"),
            ("Content-Length: 9\n\n{}".into(), "the stream ends within a body, after 2 of 9 bytes"),
        ] {
            assert_eq!(read_all(&text), (Vec::new(), error.to_string()));
        }
        let mut bytes = &b"\xff\xfe\n"[..];
        assert_eq!(
            read(&mut bytes).map_err(|e| e.to_string()),
            Err("header: it is not text".into())
        );
    }

    #[test]
    fn a_body_that_is_no_request_is_strange() {
        for body in ["", "{", "[]", "1", "{}", r#"{"seq":"1","type":"request","command":"x"}"#] {
            let text = format!("Content-Length: {}\n\n{body}", body.len());
            let (messages, error) = read_all(&text);
            assert!(matches!(messages[..], [Message::Strange(_)]), "{body}");
            assert_eq!(error, "");
        }
    }
}
