//! Headless Chromium, driven through the DevTools protocol over two pipes: real keys, real clicks. WebGPU
//! runs on SwiftShader, its Vulkan driver for the CPU.
#![allow(dead_code)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The names under which systems install Chromium. `CTM_CHROMIUM` names another program.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS: [&str; 12] = [
    "--headless=new",
    // Its sandbox refuses to run as root.
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-first-run",
    "--disable-extensions",
    // It fetches nothing from elsewhere.
    "--disable-background-networking",
    "--disable-component-update",
    // Another window may cover the page: it runs all the same.
    "--disable-renderer-backgrounding",
    "about:blank",
];

/// The longest that anything may take. SwiftShader compiles a large shader for some seconds.
const PATIENCE: Duration = Duration::from_secs(300);

/// Modifier keys, as the protocol numbers them.
pub const ALT: u32 = 1;
pub const CONTROL: u32 = 2;

/// A browser with one page.
pub struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next: u64,
    session: Option<String>,
    /// The exceptions and refused requests that the page reported.
    pub complaints: Vec<String>,
    _profile: TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts the browser with a page of this size.
    pub fn start(width: u32, height: u32) -> Browser {
        let profile = tempfile::tempdir().expect("a folder");
        let mut folder = OsString::from("--user-data-dir=");
        folder.push(profile.path());
        let names = match std::env::var_os("CTM_CHROMIUM") {
            Some(named) => vec![named],
            None => NAMES.map(OsString::from).to_vec(),
        };
        let start = |name: &OsString| {
            let mut version = Command::new(name);
            version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
            // The browser reads commands from descriptor 3 and writes to 4.
            let mut command = Command::new("sh");
            command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"]);
            command.arg(name).arg(&folder).args(FLAGS);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            command.spawn().ok()
        };
        let mut process = names
            .iter()
            .find_map(start)
            .unwrap_or_else(|| panic!("there is no browser: {names:?}"));
        let to = process.stdin.take().expect("a pipe");
        let mut reader = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while reader.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
                let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
                let message = serde_json::from_slice(text).expect("JSON");
                if sender.send(message).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let mut browser = Browser {
            process,
            to,
            from,
            next: 0,
            session: None,
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            browser.call(domain, json!({}));
        }
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        browser
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser runs");
        loop {
            let said = self.from.recv_timeout(PATIENCE);
            let said = said.unwrap_or_else(|error| panic!("{method}: {error}"));
            if said["id"] == json!(id) {
                assert!(said.get("error").is_none(), "{method}: {said}");
                return said["result"].clone();
            }
            self.note(&said);
        }
    }

    /// Keeps what is worth complaining about: exceptions, errors in the log, and requests that leave the page.
    fn note(&mut self, said: &Value) {
        let params = &said["params"];
        match said["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(params["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                self.complaints.push(params["entry"]["text"].to_string());
            }
            Some("Network.requestWillBeSent") => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                if !["file:", "blob:", "data:"].iter().any(|scheme| url.starts_with(scheme)) {
                    self.complaints.push(format!("a request for {url}"));
                }
            }
            _ => {}
        }
    }

    /// The value of an expression of the page; promises are awaited.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", params);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// The value of an expression as text.
    pub fn text(&mut self, expression: &str) -> String {
        match self.evaluate(expression) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    /// Waits until an expression of the page is true.
    pub fn wait(&mut self, expression: &str) {
        let end = Instant::now() + PATIENCE;
        while self.evaluate(expression) != json!(true) {
            let complaints = &self.complaints;
            assert!(Instant::now() < end, "it never is: {expression}\n{complaints:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Does something in the frame of the page that has an origin of its own.
    pub fn in_frame<T>(&mut self, work: impl FnOnce(&mut Browser) -> T) -> T {
        let end = Instant::now() + PATIENCE;
        let frame = loop {
            let targets = self.call("Target.getTargets", json!({}));
            let mut targets = targets["targetInfos"].as_array().expect("targets").iter();
            if let Some(frame) = targets.find(|target| target["type"] == "iframe") {
                break frame["targetId"].clone();
            }
            assert!(Instant::now() < end, "there is no frame");
            std::thread::sleep(Duration::from_millis(20));
        };
        let attach = json!({ "targetId": frame, "flatten": true });
        let attached = self.call("Target.attachToTarget", attach);
        let page = self.session.clone();
        self.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Runtime.enable", "Log.enable", "Network.enable"] {
            self.call(domain, json!({}));
        }
        let value = work(self);
        self.session = page;
        value
    }

    /// Opens an address.
    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url }));
        // A page may change its fragment.
        let address = url.split('#').next();
        self.wait(&format!("location.href.split('#')[0] === {}", json!(address)));
    }

    /// Opens a page from disk. It is in the folder.
    pub fn open_text(&mut self, page: &str) -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("page.html");
        std::fs::write(&file, page).expect("written");
        self.open(&format!("file://{}", file.display()));
        folder
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str, modifiers: u32) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Tab" => 9,
            "Backspace" => 8,
            key => u32::from(key.to_ascii_uppercase().as_bytes()[0]),
        };
        let name = match key.len() {
            1 => format!("Key{}", key.to_ascii_uppercase()),
            _ => key.to_string(),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({
                "type": kind, "key": key, "code": name, "modifiers": modifiers, "windowsVirtualKeyCode": code,
            });
            if key == "Enter" && kind == "keyDown" {
                // Without it no button is pressed.
                params["text"] = json!("\r");
            }
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// Presses Tab until the focus has been everywhere that it goes. Returns what it should reach and does not.
    pub fn unreached(&mut self) -> Vec<String> {
        self.evaluate(
            "window.reachable = new Set([...document.querySelectorAll(\"button, select, input, textarea, \
             summary, a[href], [tabindex]:not([tabindex='-1']), [contenteditable=true]\")].filter((one) => \
             !one.disabled && one.tabIndex >= 0 && one.checkVisibility({ visibilityProperty: true }))); 0",
        );
        let count = self.evaluate("reachable.size").as_u64().expect("a number");
        for _ in 0..2 * count + 10 {
            self.key("Tab", 0);
            self.evaluate("reachable.delete(document.activeElement)");
        }
        let left = self.evaluate("[...reachable].map((one) => one.outerHTML.slice(0, 120))");
        serde_json::from_value(left).expect("texts")
    }

    /// The text in the clipboard.
    pub fn pasted(&mut self) -> String {
        self.evaluate(
            "(() => { const field = document.createElement('textarea'); field.id = 'pasted'; \
             document.body.append(field); field.focus(); })()",
        );
        for (kind, commands) in [("rawKeyDown", json!(["paste"])), ("keyUp", json!([]))] {
            let params = json!({
                "type": kind, "key": "v", "code": "KeyV", "modifiers": CONTROL, "commands": commands,
            });
            self.call("Input.dispatchKeyEvent", params);
        }
        let text = self.text("document.getElementById('pasted').value");
        self.evaluate("document.getElementById('pasted').remove()");
        text
    }

    /// Types a text where the focus is.
    pub fn insert(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Clicks at a place of an element, in parts of its size.
    pub fn click(&mut self, selector: &str, x: f64, y: f64) {
        let corner = self.evaluate(&format!(
            "(() => {{ const one = document.querySelector({selector:?}); \
             one.scrollIntoView({{ block: 'nearest' }}); const box = one.getBoundingClientRect(); \
             return [box.left + {x} * box.width, box.top + {y} * box.height]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({
                "type": kind, "x": corner[0], "y": corner[1], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// With `CTM_SCREENSHOTS=FOLDER`: leaves a picture of the page there, `NAME.png`.
    pub fn shot(&mut self, name: &str) {
        if let Some(folder) = std::env::var_os("CTM_SCREENSHOTS") {
            let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
            let shot = STANDARD.decode(shot["data"].as_str().unwrap_or_default()).expect("base64");
            let file = std::path::Path::new(&folder).join(format!("{name}.png"));
            std::fs::write(file, shot).expect("a folder");
        }
    }
}

/// The directives of a page's policy, each with its sources.
pub fn policy(page: &str) -> Vec<(String, Vec<String>)> {
    let start = "<meta http-equiv=\"Content-Security-Policy\" content=\"";
    let (before, rest) = page.split_once(start).expect("a policy");
    assert!(!before.contains("<script") && !before.contains("<style"), "the policy comes first");
    let policy = rest.split('"').next().expect("an end");
    let directives = policy.split(';').map(|directive| {
        let mut words = directive.split_whitespace().map(str::to_string);
        (words.next().expect("a name"), words.collect())
    });
    directives.collect()
}

/// A page with what an attacker would put into its text: a base, scripts of three kinds, and a form.
pub fn attacked(page: &str) -> String {
    let (head, rest) = page.split_once("<title>").expect("a title");
    let (body, end) = rest.rsplit_once("</body>").expect("a body");
    let base = "<base href=\"https://example.invalid/\">";
    let attack = "<script>window.injected = 'script'</script><script type=\"module\">window.injected = 'module'</script>\
                  <img src=\"data:,\" onerror=\"window.injected = 'handler'\">\
                  <form id=\"attack\" action=\"https://example.invalid/\"></form>";
    format!("{head}{base}<title>{body}{attack}</body>{end}")
}

/// Opens a page that [`attacked`] made. Its policy stops everything.
pub fn withstands(browser: &mut Browser, what: &str) {
    browser
        .wait("document.readyState === 'complete' && document.getElementById('attack') !== null");
    assert!(browser.text("document.baseURI").starts_with("file:"), "{what}");
    let stopped = browser.text(
        "new Promise((done) => { \
         document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective)); \
         document.getElementById('attack').submit(); })",
    );
    assert_eq!(stopped, "form-action", "{what}");
    assert_eq!(browser.text("String(window.injected)"), "undefined", "{what}");
    let complaints = std::mem::take(&mut browser.complaints);
    for directive in ["base-uri", "script-src", "form-action"] {
        assert!(complaints.iter().any(|one| one.contains(directive)), "{what}: {complaints:?}");
    }
    assert!(!complaints.iter().any(|one| one.contains("a request for")), "{what}: {complaints:?}");
}

/// The red, green and blue of the pixels of a PNG, with its width.
pub fn pixels(bytes: &[u8]) -> (u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    pixels.truncate(info.buffer_size());
    let size = info.color_type.samples();
    let pixels = pixels.chunks_exact(size).flat_map(|pixel| match size {
        1 | 2 => [pixel[0]; 3],
        _ => [pixel[0], pixel[1], pixel[2]],
    });
    (info.width, pixels.collect())
}
