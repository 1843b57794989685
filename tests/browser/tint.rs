//! Tint, Chromium's WGSL compiler.

use crate::browser::Browser;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

/// Opens a device with the features that the product's shaders may use, and defines the function that
/// compiles.
const SCRIPT: &str = r#"(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    const requiredFeatures = ["subgroups"].filter((name) => adapter.features.has(name));
    const device = await adapter.requestDevice({ requiredFeatures });
    window.compile = async (code) => {
        device.pushErrorScope("validation");
        const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
        await device.popErrorScope();
        return messages.map(({ type, lineNum, linePos, message }) => {
            return { kind: type, line: lineNum, column: linePos, text: message };
        });
    };
})()"#;

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

/// A browser whose page has a device.
pub struct Tint {
    browser: Browser,
    _folder: TempDir,
}

impl Tint {
    /// Starts the browser.
    pub fn start() -> Tint {
        let mut browser = Browser::start(1280, 800);
        // Only pages with an address have WebGPU.
        let folder = browser.open_text("<!doctype html><title>ctm</title>");
        browser.evaluate(SCRIPT);
        Tint { browser, _folder: folder }
    }

    /// Compiles a shader. Returns what the compiler has to say.
    pub fn compile(&mut self, wgsl: &str) -> Vec<Message> {
        let said = self.browser.evaluate(&format!("compile({})", json!(wgsl)));
        serde_json::from_value(said).expect("messages")
    }
}
