//! Exported pages in the browser.

use crate::browser::Browser;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ctm::engine::NoProgress;
use ctm::engine::gpu::plan::settings::Settings;
use ctm::job::Job;
use ctm::witness::report::Report;
use ctm::witness::{Witness, html};
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;
use tempfile::TempDir;

/// The report of a page of [`giving_up`].
pub const GAVE_UP: &str = "it gave up";

/// The report of a page.
pub struct Found {
    /// The lines that it shows.
    pub lines: String,
    /// Its report.
    pub report: Report,
}

/// The most repetitions of a pass: an even number, so that swapped names are where they were.
const REPETITIONS: u32 = 2;

/// The page of a job, with some settings of the interpreter and fewer repetitions.
pub fn page(file: &Path, settings: Settings) -> String {
    of_job(file, settings, &|_| ())
}

/// The page of a job whose domains have columns beyond the outputs: points there are faults, at which translated
/// programs give up.
pub fn beyond(file: &Path) -> String {
    of_job(file, Settings::GUARANTEED, &|job| {
        job.passes.iter_mut().for_each(|pass| pass.domain.i1 += 8);
    })
}

/// A page that does not run what follows when a translated program gave up, but says so.
pub fn giving_up(page: &str) -> String {
    let edit = |document: &mut Value| {
        let plans = document["plans"].as_array_mut().expect("plans").iter_mut();
        for step in plans.flat_map(|plan| plan["steps"].as_array_mut().expect("steps")) {
            if let Some(when) = step.get_mut("when") {
                let (buffer, at) = (&when["buffer"], &when["at"]);
                when["steps"] =
                    json!([{ "check": { "buffer": buffer, "at": at, "message": GAVE_UP } }]);
            }
        }
    };
    edited(page, edit).0
}

fn of_job(file: &Path, settings: Settings, change: &dyn Fn(&mut Job)) -> String {
    let name = file.display().to_string();
    let mut job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
    for pass in &mut job.passes {
        pass.repeat = pass.repeat.min(REPETITIONS);
    }
    change(&mut job);
    let made = Witness::tuned(&job, &name, &NoProgress, settings);
    let (witness, result) = made.unwrap_or_else(|error| panic!("{name}: {error}"));
    html::html(&witness, &job, &result, None).expect("a page")
}

/// Opens a page and runs it, with the mouse.
pub fn run(browser: &mut Browser, page: &str) -> Found {
    let _folder = browser.open_text(page);
    pressed(browser)
}

/// Runs the page that is shown.
fn pressed(browser: &mut Browser) -> Found {
    browser.wait("document.getElementById('run')?.disabled === false");
    browser.click("#run", 0.5, 0.5);
    browser.wait("document.getElementById('state').textContent === 'done'");
    assert_eq!(browser.complaints, Vec::<String>::new());
    let report = browser.text("document.getElementById('report').value");
    let report = Report::read(report.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    Found { lines: browser.text("document.getElementById('lines').innerText"), report }
}

/// A document that shows one page after the other on one device. SwiftShader takes seconds to compile a text of
/// the interpreter, and many pages have the same; here it compiles each text once.
const SHOW: &str = r#"(() => {
    const once = (type, name, key) => {
        const [original, known] = [type.prototype[name], new Map()];
        type.prototype[name] = function (what) {
            const text = key(what);
            if (!known.has(text)) {
                known.set(text, original.call(this, what));
            }
            return known.get(text);
        };
    };
    const numbers = new Map();
    once(GPUAdapter, "requestDevice", () => "");
    once(GPUDevice, "createShaderModule", ({ code }) => code);
    once(GPUDevice, "createComputePipelineAsync", ({ compute: { module, entryPoint } }) => {
        numbers.has(module) || numbers.set(module, numbers.size);
        return `${numbers.get(module)} ${entryPoint}`;
    });
    GPUDevice.prototype.destroy = () => {};
    window.show = (html) => {
        document.body.replaceWith(new DOMParser().parseFromString(html, "text/html").body);
        const parsed = document.querySelector("script[type=module]");
        const script = document.createElement("script");
        [script.type, script.textContent] = ["module", parsed.textContent];
        parsed.replaceWith(script);
    };
})()"#;

/// A browser with such a document.
pub struct Shared {
    browser: Browser,
    _folder: TempDir,
}

impl Shared {
    /// Starts the browser.
    pub fn start() -> Shared {
        let mut browser = Browser::start(1280, 800);
        let _folder = browser.open_text("<!doctype html><title>ctm</title>");
        browser.evaluate(SHOW);
        Shared { browser, _folder }
    }

    /// The pictures of surfaces as the first run left them that are not those of the surfaces as ctm computed them, if both
    /// have the same size.
    pub fn wrong_pictures(&mut self) -> String {
        self.browser.text(
            "Promise.all([...document.querySelectorAll('main section:nth-of-type(2) figure')].map(async (one, n) => { \
             const image = one.querySelector('img'); \
             await image.decode(); \
             const canvas = document.querySelectorAll('#found canvas')[n]; \
             if (image.naturalWidth !== canvas.width) return ''; \
             const other = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height }); \
             other.getContext('2d').drawImage(image, 0, 0); \
             return other.toDataURL() === canvas.toDataURL() ? '' : one.innerText; \
             })).then((wrong) => JSON.stringify(wrong.filter((one) => one)))",
        )
    }

    /// Shows a page and runs it.
    pub fn run(&mut self, page: &str) -> Found {
        self.browser.evaluate(&format!("show({})", json!(page)));
        pressed(&mut self.browser)
    }
}

/// A word in the memory of a page that was changed.
pub struct ChangedWord {
    pub word: u64,
    pub surface: String,
    pub x: u32,
    pub y: u32,
}

/// A page whose document is edited.
pub fn edited<T>(page: &str, edit: impl FnOnce(&mut Value) -> T) -> (String, T) {
    let element = page.find("id=\"document\"").expect("a document");
    let start = element + page[element..].find('>').expect("its start") + 1;
    let end = start + page[start..].find('<').expect("an end");
    let packed = STANDARD.decode(&page[start..end]).expect("base64");
    let mut text = String::new();
    DeflateDecoder::new(&packed[..]).read_to_string(&mut text).expect("deflated");
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    let value = edit(&mut document);
    let mut packed = Vec::new();
    let text = document.to_string();
    DeflateEncoder::new(text.as_bytes(), Compression::fast()).read_to_end(&mut packed).expect("it");
    ([&page[..start], &STANDARD.encode(packed), &page[end..]].concat(), value)
}

/// A page that runs translated programs only.
pub fn translated(page: &str) -> String {
    let edit = |document: &mut Value| {
        let plans = document["plans"].as_array_mut().expect("plans");
        // The probe's plans, which go by number, are the first.
        plans.retain(|plan| plan["engine"] != "interpreter");
    };
    edited(page, edit).0
}

/// A page with a wrong bit in an expected word, and its place: in the last row of the surface that the first
/// launch writes, which is linear and has one float for each element.
pub fn changed(page: &str) -> (String, ChangedWord) {
    edited(page, |document| {
        let number = |value: &Value| value.as_u64().expect("a number");
        let surfaces = document["surfaces"].as_array().expect("surfaces");
        let surface = surfaces.last().expect("one").clone();
        let element = number(&surface["channels"]) * number(&surface["channel_bytes"]);
        let (x, y) = (number(&surface["width"]) - 1, number(&surface["height"]) - 1);
        let at = number(&surface["end"]) + y * number(&surface["row"]) + x * element;
        let expected = number(&document["expected"]) as usize;
        let contents = document["contents"].as_array_mut().expect("contents");
        let text = contents[expected].as_str().expect("text");
        let mut bytes = STANDARD.decode(text).expect("base64");
        bytes[at as usize] ^= 1;
        contents.push(STANDARD.encode(&bytes).into());
        let expected = contents.len() - 1;
        document["expected"] = expected.into();
        let surface = surface["name"].as_str().expect("a name").to_string();
        ChangedWord { word: at / 4, surface, x: x as u32, y: y as u32 }
    })
}
