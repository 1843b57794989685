//! Transcripts: what commands print, and the status with which they end.
//!
//! A file in tests/transcripts runs in a folder of its own. A code block whose info string is a path writes
//! that file. A block `console` has commands for a shell after `$ `, each followed by its standard output, its
//! standard error after `! `, and after `? ` a status that is not 0. `[..]` stands for a part of a line that
//! differs from run to run, `...` for such lines. `$REPO` is the repository's folder.
//! With CTM_BLESS=1 the files are rewritten.

use snapbox::IntoData;
use snapbox::filter::NormalizeToExpected;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Makes a test of each transcript, and one that none is left out.
macro_rules! transcripts {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name));
        })*

        #[test]
        fn every_transcript_is_replayed() {
            let entries = fs::read_dir(Path::new(ROOT).join("tests/transcripts")).expect("a folder");
            let names = entries.map(|entry| entry.expect("an entry").file_name());
            let mut names: Vec<_> = names.map(|name| name.into_string().expect("UTF-8")).collect();
            names.sort();
            assert_eq!(names, [$(concat!(stringify!($name), ".md")),*]);
        }
    };
}

transcripts! {
    asm batch bench bless check compare compile crosscheck debug diff explain export forms info merge mesa mixed_up names outputs pack pictures
    programs root run
    stats sweep translate verify warnings
}

/// The page on the compiler follows a shader through all forms: the first commands of a transcript.
#[test]
fn the_page_shows_the_forms_of_a_shader() {
    let read = |path: &str| fs::read_to_string(Path::new(ROOT).join(path)).expect("a page");
    let (transcript, page) = (read("tests/transcripts/forms.md"), read("docs/compiler.md"));
    let start = transcript.find("```console").expect("commands");
    let block = transcript[start..].split_inclusive("\n```\n").next().expect("an end");
    assert!(page.contains(block), "docs/compiler.md does not contain:\n{block}");
}

/// Runs a transcript and compares all of it.
fn replay(name: &str) {
    let path = Path::new(ROOT).join(format!("tests/transcripts/{name}.md"));
    let expected = fs::read_to_string(&path).expect("a transcript");
    let dir = tempfile::tempdir().expect("a folder");
    let mut found = String::new();
    let mut lines = expected.lines();
    while let Some(line) = lines.next() {
        found += &format!("{line}\n");
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if info == "console" {
            found += &console(dir.path(), &block);
        } else {
            let text: String = block.iter().map(|line| format!("{line}\n")).collect();
            let file = dir.path().join(info.trim());
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, &text).expect("written");
            found += &text;
        }
        found += "```\n";
    }
    if std::env::var_os("CTM_BLESS").is_some() {
        fs::write(&path, &found).expect("written");
    }
    let expected = fs::read_to_string(&path).expect("a transcript");
    snapbox::assert_data_eq!(found, expected.into_data().raw());
}

/// Runs the commands of a block; returns it with what they print.
fn console(dir: &Path, block: &[&str]) -> String {
    let mut found = String::new();
    for step in block.chunk_by(|_, next| !next.starts_with("$ ")) {
        let (command, expected) = step.split_first().expect("a chunk is not empty");
        let line = command.strip_prefix("$ ").expect("a command");
        let expected: String = expected.iter().map(|line| format!("{line}\n")).collect();
        let shown = printed(dir, line).into_data().raw();
        let shown = NormalizeToExpected::new().redact().normalize(shown, &expected.into_data());
        found += &format!("{command}\n{shown}");
    }
    found
}

/// The output of a command line.
fn printed(dir: &Path, line: &str) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_ctm")).parent().expect("a folder");
    let path = std::env::var("PATH").expect("text");
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(dir)
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("REPO", ROOT)
        // Small launches run on the CPU, whatever there is.
        .env_remove("CTM_ADAPTER")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let text = text.replace(ROOT, "[REPO]").replace(&*dir.to_string_lossy(), "[DIR]");
        assert!(text.is_empty() || text.ends_with('\n'), "{line}: no line end: {text}");
        text
    };
    let errors = text(&output.stderr);
    let errors = errors.lines().map(|line| format!("! {line}").trim_end().to_string() + "\n");
    let status = match output.status.code() {
        Some(0) => String::new(),
        Some(code) => format!("? {code}\n"),
        None => format!("? {}\n", output.status),
    };
    text(&output.stdout) + &errors.collect::<String>() + &status
}
