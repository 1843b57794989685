//! The rules of GLSL, a file each: `tests/rules/CHAPTER/RULE.frag`.
//!
//! * `// value: 1 2 3 4` has the channels of an output at one point, a line for each output in the order of slots;
//!   `// set u = 1.5` has the numbers of a uniform.
//! * A line with an error ends in `//~ error: WORDS`, one with a warning in `//~ warning: WORDS`. Where no comment can
//!   end the line, `// error on line 7: WORDS` does the same from another line.
//! * A file without `value` that has no error only has to compile.
//!
//!
//! `CTM_BLESS=1` rewrites the words, never the lines: the lines are the language's, the words are ours.

use crate::point::Shader;
use ctm_compiler::{Language, Options, compile};
use ctm_testing::files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Words by line.
type Lines = BTreeMap<usize, String>;

/// The last part of a line that has a mark, or the mark of another line: the line's number, the text up to the words,
/// and the words.
fn mark<'a>(n: usize, line: &'a str, kind: &str) -> Option<(usize, &'a str, &'a str)> {
    let (at, start) = match line.strip_prefix(&format!("// {kind} on line ")) {
        Some(rest) => {
            let digits = rest.find(':').unwrap_or(rest.len());
            (rest[..digits].parse().expect("a line"), line.len() - rest.len() + digits)
        }
        None => (n + 1, line.find(&format!("//~ {kind}"))? + "//~ ".len() + kind.len()),
    };
    Some((at, &line[..start], line[start..].trim_start_matches(": ")))
}

fn marked(source: &str, kind: &str) -> Lines {
    let marks = source.lines().enumerate().filter_map(|(n, line)| mark(n, line, kind));
    marks.map(|(at, _, words)| (at, words.to_string())).collect()
}

/// The same text with the words of now.
fn blessed(source: &str, found: [(&str, &Lines); 2]) -> String {
    let fresh = |(n, line): (usize, &str)| {
        let words = found.into_iter().find_map(|(kind, words)| {
            let (at, before, _) = mark(n, line, kind)?;
            Some(format!("{before}: {}", words.get(&at)?))
        });
        words.unwrap_or_else(|| line.to_string())
    };
    source.split('\n').enumerate().map(fresh).collect::<Vec<_>>().join("\n")
}

/// The differences of lines and words, if any.
fn compared(kind: &str, want: &Lines, found: &Lines) -> Option<String> {
    let mut wrong = Vec::new();
    for (line, words) in found {
        match want.get(line) {
            None => wrong.push(format!("{kind} on line {line}: {words}")),
            Some(expected) if expected.is_empty() || expected == words => {}
            Some(expected) => wrong.push(format!("line {line}: {words} (expected: {expected})")),
        }
    }
    let missing = want.keys().filter(|line| !found.contains_key(line));
    wrong.extend(missing.map(|line| format!("no {kind} on line {line}")));
    (!wrong.is_empty()).then(|| wrong.join("\n    "))
}

fn numbers(text: &str) -> Vec<f32> {
    text.split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

/// The shader's values, if they are not those of the file.
fn other_values(source: &str) -> Option<String> {
    let head = |key: &'static str| source.lines().filter_map(move |line| line.strip_prefix(key));
    let want: Vec<_> = head("// value: ").map(numbers).collect();
    if want.is_empty() {
        return None;
    }
    let set: BTreeMap<_, _> = head("// set ")
        .map(|line| line.split_once(" = ").expect("a name and numbers"))
        .map(|(name, values)| (name, numbers(values)))
        .collect();
    let value = |name: &str, component: usize| {
        set.get(name).and_then(|values| values.get(component)).copied().unwrap_or(0.0)
    };
    let found = match Shader::new(source, Language::Glsl, &Options::default()) {
        Ok(mut shader) => {
            let found = shader.run(&value);
            let slots = shader.interface.outputs.iter().map(|output| output.slot);
            slots.zip(found).collect::<BTreeMap<_, _>>().into_values().collect::<Vec<_>>()
        }
        Err(error) => return Some(error),
    };
    (want != found).then(|| format!("gives {found:?}, expected {want:?}"))
}

/// How many files of each kind there are, and are right: those that compile, those with values, those with errors.
#[derive(Default)]
struct Counts([[usize; 2]; 3]);

impl Counts {
    fn count(&mut self, kind: usize, right: bool) {
        self.0[kind][0] += 1;
        self.0[kind][1] += usize::from(right);
    }
}

fn check(path: &Path, counts: &Mutex<Counts>) -> Option<String> {
    let source = std::fs::read_to_string(path).expect("a rule");
    let [errors, warnings] = ["error", "warning"].map(|kind| marked(&source, kind));
    let (mut found, mut warned) = (Lines::new(), Lines::new());
    match compile(&source, "rule", Language::Glsl, &Options::default()) {
        Ok(compiled) => {
            let notes = compiled.notes.into_iter().rev();
            warned = notes.filter_map(|note| Some((note.mark?.line as usize, note.text))).collect();
        }
        Err(all) => {
            let words = all.errors().iter().map(|error| (error.line, error.message.clone()));
            found = words.collect();
        }
    }
    if std::env::var_os("CTM_BLESS").is_some() {
        let fresh = blessed(&source, [("error", &found), ("warning", &warned)]);
        std::fs::write(path, fresh).expect("a rule");
        return None;
    }
    let wrong = compared("error", &errors, &found);
    let taken = found.is_empty();
    let values = if taken && errors.is_empty() { other_values(&source) } else { None };
    let mut counts = counts.lock().expect("no thread panicked");
    if errors.is_empty() {
        counts.count(0, taken);
        if source.contains("// value: ") {
            counts.count(1, taken && values.is_none());
        }
    } else {
        counts.count(2, !taken);
    }
    let warnings = taken.then(|| compared("warning", &warnings, &warned)).flatten();
    let all: Vec<_> = [wrong, warnings, values].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("\n    "))
}

/// The version that a source says.
fn version(source: &str) -> &str {
    let said = source.lines().find_map(|line| line.strip_prefix("#version "));
    let number = said.and_then(|said| said.split_whitespace().next());
    number.filter(|number| number.parse::<u32>().is_ok()).unwrap_or("none")
}

/// The table of docs/compiler.md: for each version the rules with right and with wrong sources.
fn table(rules: &[PathBuf]) -> String {
    let mut rows: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for path in rules {
        let source = std::fs::read_to_string(path).expect("a rule");
        let row = rows.entry(version(&source).to_string()).or_default();
        row[usize::from(!marked(&source, "error").is_empty())] += 1;
    }
    // Without those that are no versions.
    let rows = rows.iter().filter(|(_, [right, _])| *right > 0);
    let rows = rows.map(|(version, [right, wrong])| format!("| {version} | {right} | {wrong} |\n"));
    let head = "| `#version` | taken | refused |\n| --- | --- | --- |\n";
    format!("<!-- rules -->\n{head}{}<!-- /rules -->", rows.collect::<String>())
}

/// The table of rules is fresh.
fn check_table(folder: &Path) {
    let page = files::root().join("docs/compiler.md");
    let text = std::fs::read_to_string(&page).expect("docs/compiler.md");
    let (before, rest) = text.split_once("<!-- rules -->").expect("the table's start");
    let (_, after) = rest.split_once("<!-- /rules -->").expect("the table's end");
    let fresh = format!("{before}{}{after}", table(&files::files(folder, "frag")));
    if std::env::var_os("CTM_BLESS").is_some() {
        std::fs::write(&page, fresh).expect("docs/compiler.md");
    } else {
        let command = "CTM_BLESS=1 cargo test -p ctm-compiler rules";
        assert!(fresh == text, "docs/compiler.md: the table of rules is old: {command}");
    }
}

#[test]
fn rules_of_the_language_hold() {
    let folder = files::root().join("crates/compiler/tests/rules");
    let rules = files::files(&folder, "frag");
    let (next, counts, failed) =
        (AtomicUsize::new(0), Mutex::default(), Mutex::new(BTreeMap::new()));
    let work = || {
        while let Some(path) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(why) = check(path, &counts) {
                failed.lock().expect("no thread panicked").insert(path, why);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let counts: Counts = counts.into_inner().expect("no thread panicked");
    for ([all, right], what) in counts.0.iter().zip(["taken", "right values", "refused"]) {
        println!("{right} of {all} {what}");
    }
    let failed = failed.into_inner().expect("no thread panicked");
    let text: String = failed
        .iter()
        .map(|(path, why)| {
            format!("{}: {why}\n", path.strip_prefix(&folder).unwrap_or(path).display())
        })
        .collect();
    assert!(failed.is_empty(), "{} of {} rules fail\n{text}", failed.len(), rules.len());
    // Not before: blessing writes the rules.
    check_table(&folder);
}
