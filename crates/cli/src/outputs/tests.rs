//! Every option of the command that writes, found in the table of commands, against what it must
//! not replace.

use super::super::{Cli, Exit, dispatch};
use super::Output;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, Parser};
use ctm_inspect::check::Code;
use ctm_jobs::array::{Array, Dtype, npy};
use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

/// An option that writes.
struct Case {
    /// The command and the argument's name in the table.
    option: [&'static str; 2],
    /// A command line; `DIR` is the folder of the files, and `OUT` the path that is written.
    line: &'static str,
    /// Files that the command reads, or, if it reads none, any files.
    inputs: &'static [&'static str],
    /// Whether it may also write to a pipe (docs/jobs.md).
    pipe: bool,
}

const fn case(
    option: [&'static str; 2],
    line: &'static str,
    inputs: &'static [&'static str],
) -> Case {
    Case { option, line, inputs, pipe: false }
}

const fn piped(case: Case) -> Case {
    Case { pipe: true, ..case }
}

/// A job, and the files that it names.
const JOB: &[&str] = &["job.toml", "p.dpp", "in.npy", "kept.npy", "want.npy", "mask.npy"];

/// A job that runs an executable, with the source that the executable names.
const BUILT: &[&str] = &["built.toml", "built.elf", "built.dpp"];

const CASES: &[Case] = &[
    piped(case(
        ["run", "save"],
        "run DIR/p.dpp --input 0=DIR/in.npy --save OUT",
        &["p.dpp", "in.npy"],
    )),
    piped(case(
        ["run", "image"],
        "run DIR/p.dpp --input 0=DIR/in.npy --image OUT",
        &["p.dpp", "in.npy"],
    )),
    case(["new", "folder"], "new DIR/p.dpp OUT", &["p.dpp"]),
    case(["mesa bisect", "report"], "mesa bisect DIR/fp.log --report OUT", &["fp.log"]),
    case(["replay", "to_jobs"], "replay DIR/client.rec --to-jobs OUT", &["client.rec"]),
    case(["batch", "report"], "batch DIR/job.toml --no-save --report OUT", JOB),
    case(["batch", "collect"], "batch DIR/job.toml --no-save --collect OUT", JOB),
    case(["batch", "report"], "batch --list DIR/empty --resume --report OUT", &["empty"]),
    piped(case(["pack", "output"], "pack DIR/job.toml --output OUT", JOB)),
    piped(case(["pack", "output"], "pack DIR/built.toml --output OUT", BUILT)),
    piped(case(["pack", "output"], "pack --list DIR/list --output OUT", &["list"])),
    case(
        ["merge", "report"],
        "merge DIR/part.jsonl --list DIR/list --report OUT",
        &["part.jsonl", "list", "job.toml"],
    ),
    case(["merge", "report"], "merge DIR/empty --list DIR/none --report OUT", &["empty", "none"]),
    case(["verify", "report"], "verify DIR/job.toml --report OUT", JOB),
    case(
        ["verify", "report"],
        "verify DIR/job.toml --expected-failures DIR/fails --report OUT",
        &["fails"],
    ),
    case(["check", "sarif"], "check DIR/job.toml --sarif OUT", JOB),
    case(
        ["check", "sarif"],
        "check DIR/p.dpp --baseline DIR/known.json --sarif OUT",
        &["p.dpp", "known.json"],
    ),
    case(["check", "write_baseline"], "check DIR/job.toml --write-baseline OUT", JOB),
    case(["check", "mask"], "check DIR/job.toml --mask fault=OUT", JOB),
    case(["profile", "html"], "profile DIR/job.toml --html OUT", JOB),
    case(["profile", "heat"], "profile DIR/job.toml --heat OUT", JOB),
    case(["profile", "callgrind"], "profile DIR/job.toml --callgrind OUT", JOB),
    piped(case(["export", "html"], "export DIR/job.toml --html OUT", JOB)),
    case(["bench", "save"], "bench DIR/job.toml --engine reference --time 0.001 --save OUT", JOB),
    case(["fuzz", "out"], "fuzz --count 1 --engine block --out OUT", &["p.dpp"]),
    piped(case(
        ["run", "save"],
        "run DIR/built.elf --input 0=DIR/in.npy --save OUT",
        &["built.elf", "built.dpp", "in.npy"],
    )),
    case(["check", "sarif"], "check DIR/built.elf --sarif OUT", &["built.elf", "built.dpp"]),
    case(["profile", "html"], "profile DIR/built.toml --html OUT", BUILT),
    case(["verify", "report"], "verify DIR/built.toml --report OUT", BUILT),
    case(
        ["bench", "save"],
        "bench DIR/built.toml --engine reference --time 0.001 --save OUT",
        BUILT,
    ),
    piped(case(
        ["run", "save"],
        "run DIR/c0.dpp --sweep c0=DIR/c.npy --save OUT",
        &["c0.dpp", "c.npy"],
    )),
    case(["new", "folder"], "new DIR/p.dpp OUT --input 0=DIR/in.npy", &["p.dpp", "in.npy"]),
    case(
        ["mesa bisect", "report"],
        "mesa bisect DIR/fp.log --index 0 --job DIR/fp.toml --report OUT",
        &["fp.log", "fp.toml"],
    ),
    case(["batch", "collect"], "batch --list DIR/list --no-save --collect OUT", &["list"]),
    case(
        ["check", "mask"],
        "check DIR/job.toml --baseline DIR/known.json --mask fault=OUT",
        &["job.toml", "known.json"],
    ),
    case(
        ["profile", "html"],
        "profile DIR/p.dpp --input 0=DIR/in.npy --html OUT",
        &["p.dpp", "in.npy"],
    ),
    case(
        ["profile", "heat"],
        "profile DIR/p.dpp --input 0=DIR/in.npy --heat OUT",
        &["p.dpp", "in.npy"],
    ),
    case(
        ["profile", "callgrind"],
        "profile DIR/p.dpp --input 0=DIR/in.npy --callgrind OUT",
        &["p.dpp", "in.npy"],
    ),
    piped(case(
        ["export", "html"],
        "export DIR/p.dpp --input 0=DIR/in.npy --html OUT",
        &["p.dpp", "in.npy"],
    )),
    piped(case(
        ["export", "html"],
        "export DIR/job.toml --exercise DIR/page.html --html OUT",
        &["job.toml", "p.dpp", "in.npy", "want.npy", "mask.npy", "page.html"],
    )),
    case(
        ["bench", "save"],
        "bench DIR/p.dpp --input 0=DIR/in.npy --engine reference --time 0.001 --save OUT",
        &["p.dpp", "in.npy"],
    ),
    case(
        ["bench", "save"],
        "bench DIR/built.elf --engine reference --time 0.001 --save OUT",
        &["built.elf", "built.dpp"],
    ),
    case(
        ["bench", "save"],
        "bench DIR/p.dpp --compare DIR/known.json --save OUT",
        &["p.dpp", "known.json"],
    ),
    case(["bench", "save"], "bench DIR/p.dpp --against DIR/none --save OUT", &["p.dpp", "none"]),
    case(["bench", "html"], "bench DIR/job.toml --engine reference --time 0.001 --html OUT", JOB),
    case(
        ["bench", "html"],
        "bench DIR/p.dpp --input 0=DIR/in.npy --engine reference --time 0.001 --html OUT",
        &["p.dpp", "in.npy"],
    ),
    case(
        ["bench", "html"],
        "bench DIR/p.dpp --compare DIR/known.json --html OUT",
        &["p.dpp", "known.json"],
    ),
    case(["bench", "html"], "bench DIR/p.dpp --against DIR/none --html OUT", &["p.dpp", "none"]),
    case(
        ["compare", "out"],
        "compare DIR/p.dpp DIR/c0.dpp --prove --out OUT",
        &["p.dpp", "c0.dpp"],
    ),
    #[cfg(feature = "compiler")]
    case(["fuzz", "out"], "fuzz --count 1 --compiler --mutate DIR/p.frag --out OUT", &["p.frag"]),
    #[cfg(feature = "compiler")]
    piped(case(["compile", "output"], "compile DIR/p.frag --output OUT", &["p.frag"])),
    piped(case(["asm", "output"], "asm DIR/p.dpp --output OUT", &["p.dpp"])),
    piped(case(["compile", "output"], "compile DIR/p.ps --output OUT", &["p.ps"])),
    #[cfg(feature = "compiler")]
    case(["compile", "html"], "compile DIR/p.frag --explain --html OUT", &["p.frag"]),
];

/// Further options: their values are no [`Output`], because only one of two values is a path, or
/// the command is hidden.
const OTHERS: [Case; 2] = [
    case(["replay", "to_job"], "replay DIR/client.rec --to-job 0 OUT", &["client.rec"]),
    case(["generate man", "folder"], "generate man OUT", &["p.dpp"]),
];

/// An argument of a command with `--root`, and a command line with it: `DIR` is the folder of the
/// root, `OUT` the argument's file. The files: one that the command accepts in the folder, and
/// whether it says itself that it refuses the other one, rather than printing it.
struct Confined {
    argument: [&'static str; 2],
    line: &'static str,
    file: &'static str,
    says: bool,
}

const fn confined(
    argument: [&'static str; 2],
    line: &'static str,
    file: &'static str,
    says: bool,
) -> Confined {
    Confined { argument, line, file, says }
}

const CONFINED: [Confined; 44] = [
    confined(["run", "job"], "run OUT --no-save", "job.toml", true),
    confined(["run", "job"], "run OUT --no-save", "p.dpp", true),
    confined(["run", "input"], "run DIR/p.dpp --no-save --input 0=OUT", "in.npy", true),
    confined(["run", "sweep"], "run DIR/p.dpp --no-save --sweep c0=OUT", "in.npy", true),
    confined(["run", "save"], "run DIR/p.dpp --save OUT", "new", true),
    confined(["run", "image"], "run DIR/p.dpp --image OUT", "new", true),
    confined(["debug", "job"], "debug OUT --batch --execute DIR/empty", "job.toml", true),
    confined(
        ["debug", "input"],
        "debug DIR/p.dpp --batch --execute DIR/empty --input 0=OUT",
        "in.npy",
        true,
    ),
    confined(["debug", "script"], "debug DIR/job.toml --batch --execute OUT", "empty", true),
    confined(["batch", "jobs"], "batch OUT --no-save --report DIR/new", "job.toml", false),
    confined(["batch", "list"], "batch --list OUT --report DIR/new", "empty", true),
    confined(["batch", "report"], "batch DIR/job.toml --no-save --report OUT", "new", true),
    confined(["batch", "collect"], "batch DIR/job.toml --no-save --collect OUT", "new", true),
    confined(["pack", "jobs"], "pack OUT --output DIR/new", "job.toml", true),
    confined(["pack", "list"], "pack --list OUT --output DIR/new", "empty", true),
    confined(["pack", "output"], "pack DIR/job.toml --output OUT", "new", true),
    confined(["verify", "jobs"], "verify OUT", "job.toml", false),
    confined(["verify", "report"], "verify DIR/job.toml --report OUT", "new", true),
    confined(
        ["verify", "expected_failures"],
        "verify DIR/job.toml --expected-failures OUT",
        "fails",
        true,
    ),
    confined(["check", "files"], "check OUT", "job.toml", false),
    confined(["check", "files"], "check OUT", "p.dpp", false),
    confined(["check", "files"], "check OUT --kind asm", "p.dpp", false),
    confined(["check", "baseline"], "check DIR/p.dpp --baseline OUT", "known.json", true),
    confined(["check", "write_baseline"], "check DIR/p.dpp --write-baseline OUT", "new", true),
    confined(["check", "mask"], "check DIR/job.toml --mask fault=OUT", "new", true),
    confined(["check", "sarif"], "check DIR/p.dpp --sarif OUT", "new", true),
    confined(["profile", "job"], "profile OUT", "job.toml", true),
    confined(["profile", "input"], "profile DIR/p.dpp --input 0=OUT", "in.npy", true),
    confined(["profile", "html"], "profile DIR/job.toml --html OUT", "new", true),
    confined(["profile", "heat"], "profile DIR/job.toml --heat OUT", "new", true),
    confined(["profile", "callgrind"], "profile DIR/job.toml --callgrind OUT", "new", true),
    confined(["export", "job"], "export OUT --html DIR/new", "job.toml", true),
    confined(["export", "input"], "export DIR/p.dpp --input 0=OUT --html DIR/new", "in.npy", true),
    confined(
        ["export", "exercise"],
        "export DIR/job.toml --exercise OUT --html DIR/new",
        "page.html",
        true,
    ),
    confined(["export", "html"], "export DIR/job.toml --html OUT", "new", true),
    confined(["crosscheck", "jobs"], "crosscheck OUT --engine reference,block", "job.toml", false),
    confined(["compare", "a"], "compare OUT DIR/p.dpp", "p.dpp", true),
    confined(["compare", "a"], "compare OUT DIR/p.dpp", "job.toml", true),
    confined(["compare", "b"], "compare DIR/p.dpp OUT", "p.dpp", true),
    confined(["compare", "b"], "compare DIR/p.dpp OUT", "job.toml", true),
    confined(["compare", "out"], "compare DIR/p.dpp DIR/p.dpp --prove --out OUT", "new", true),
    confined(["mesa bisect", "logs"], "mesa bisect OUT", "fp.log", true),
    confined(["mesa bisect", "report"], "mesa bisect DIR/fp.log --report OUT", "new", true),
    confined(["mesa bisect", "job"], "mesa bisect DIR/fp.log --index 0 --job OUT", "fp.toml", true),
];

/// Arguments whose values are texts and may hold the path of a file that is read.
const TEXTS_WITH_PATHS: [[&str; 2]; 8] = [
    ["run", "input"],
    ["run", "sweep"],
    ["new", "input"],
    ["debug", "input"],
    ["profile", "input"],
    ["export", "input"],
    ["bench", "input"],
    ["bench", "kernels"],
];

/// Arguments whose values are texts and no paths.
const TEXTS: [&str; 8] = ["set", "engine", "adapter", "filter", "name", "mode", "show", "strength"];

fn each(command: &Command, name: &str, see: &mut impl FnMut(&str, &Arg)) {
    for arg in command.get_arguments() {
        see(name, arg);
    }
    for sub in command.get_subcommands() {
        let name = format!("{name} {}", sub.get_name());
        each(sub, name.trim_start(), see);
    }
}

fn is_written(arg: &Arg) -> bool {
    let is = |id: TypeId| arg.get_value_parser().type_id() == id;
    is(TypeId::of::<Output>()) || is(TypeId::of::<(Code, Output)>())
}

#[test]
fn every_option_that_writes_has_a_case() {
    let mut written = BTreeSet::new();
    each(&Cli::command(), "", &mut |command, arg| {
        let name = (command.to_string(), arg.get_id().to_string());
        if is_written(arg) {
            written.insert(name);
            return;
        }
        let parser = arg.get_value_parser();
        let text = parser.type_id() == TypeId::of::<String>();
        let with_path = TEXTS_WITH_PATHS.iter().chain(OTHERS.iter().map(|case| &case.option));
        let known = TEXTS.contains(&arg.get_id().as_str())
            || with_path.clone().any(|[of, id]| *of == command && arg.get_id() == id);
        let takes = arg.get_action().takes_values();
        assert!(
            !takes || !text || known,
            "{name:?}: a text; a path that is written is an `Output`, one that is read a `PathBuf`"
        );
        let named =
            arg.get_value_names().unwrap_or_default().iter().any(|name| {
                ["FILE", "DIR", "FOLDER", "OUT"].iter().any(|word| name.contains(word))
            });
        let path = parser.type_id() == TypeId::of::<PathBuf>();
        assert!(!takes || !named || path || known, "{name:?}: a path that is no `PathBuf`");
    });
    let cases = CASES.iter().chain(&OTHERS).map(|case| {
        let [command, id] = case.option;
        (command.to_string(), id.to_string())
    });
    let mut cases: BTreeSet<_> = cases.collect();
    cases.remove(&("replay".to_string(), "to_job".to_string()));
    assert_eq!(written, cases);
}

fn array(path: &Path, dtype: Dtype, shape: &[usize]) {
    let units = vec![0; shape.iter().product()];
    let array = Array { dtype, shape: shape.to_vec(), units };
    npy::save(&array, path).expect("written");
}

/// The files of all cases.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fill(dir.path());
    dir
}

fn fill(dir: &Path) {
    let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("written");
    write("p.dpp", "ld r1, i0[r0.rg]\nmov o0, r1\n");
    write("c0.dpp", "mov o0, c0\n");
    array(&dir.join("c.npy"), Dtype::Float32, &[2, 4]);
    write("p.ps", "ps_3_0\ndef c0, 1, 2, 3, 4\nmov oC0, c0\n");
    write("p.frag", "void main() { gl_FragColor = vec4(1.0); }\n");
    write("job.toml", include_str!("job.toml"));
    let source = dir.join("built.dpp");
    fs::copy(dir.join("p.dpp"), &source).expect("copied");
    let text = fs::read_to_string(&source).expect("a source");
    let image = ctm_lang::asm::assemble(&text, &source.display().to_string()).expect("a program");
    fs::write(dir.join("built.elf"), ctm_lang::elf::write(&image)).expect("written");
    write("built.toml", &include_str!("job.toml").replace("p.dpp", "built.elf"));
    for name in ["in.npy", "kept.npy", "want.npy"] {
        array(&dir.join(name), Dtype::Float32, &[2, 2, 4]);
    }
    array(&dir.join("mask.npy"), Dtype::Uint8, &[2, 2]);
    write("known.json", "{\"version\":1,\"known\":[]}");
    write("fails", "# none\n");
    write("part.jsonl", "{\"job\":\"job.toml\",\"status\":\"ok\"}\n");
    write("list", "job.toml\n");
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/mesa/ease_sine_in.m25/fp.log");
    fs::copy(log, dir.join("fp.log")).expect("copied");
    write("fp.toml", include_str!("job.toml"));
    write("empty", "");
    write("page.html", r#"<script type="text/plain" id="exercise"></script>"#);
    write("none", "");
    write("client.rec", "CTM-REC");
}

/// The contents of the files in a folder.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.filter(|path| path.is_file());
    files.map(|path| (path.clone(), fs::read(path).expect("a file"))).collect()
}

/// Runs a command line: whether it is done with status 0, or its error. A command that waits for
/// ever fails the test.
fn ran(line: Vec<String>) -> Result<bool, String> {
    let (send, said) = channel();
    let shown = line.join(" ");
    std::thread::spawn(move || {
        let cli = Cli::try_parse_from(["ctm".to_string()].into_iter().chain(line));
        let ran = match cli {
            Ok(cli) => dispatch(cli.command).map_err(|error| format!("{error:#}")),
            Err(usage) => panic!("{usage}"),
        };
        send.send(ran.map(|exit| matches!(exit, Exit::Done)))
    });
    match said.recv_timeout(Duration::from_secs(300)) {
        Ok(ran) => ran,
        Err(_) => panic!("{shown}: it hangs or panics"),
    }
}

/// The error of a command line that must be refused.
fn refused(line: Vec<String>) -> String {
    let shown = line.join(" ");
    ran(line).expect_err(&shown)
}

fn line(text: &str, dir: &Path, output: &Path) -> Vec<String> {
    let [dir, output] = [dir, output].map(|path| path.display().to_string());
    text.split(' ').map(|word| word.replace("DIR", &dir).replace("OUT", &output)).collect()
}

#[test]
fn no_option_replaces_what_the_command_reads() {
    let dir = folder();
    let dir = dir.path();
    fs::create_dir(dir.join("sub")).expect("a folder");
    let before = contents(dir);
    for case in CASES.iter().chain(&OTHERS) {
        for input in case.inputs {
            let file = dir.join(input);
            let mut spellings = vec![file.clone(), dir.join("sub/..").join(input)];
            #[cfg(unix)]
            {
                let link = dir.join("sub/link");
                let _ = fs::remove_file(&link);
                std::os::unix::fs::symlink(&file, &link).expect("a link");
                spellings.push(link);
                if file.is_file() {
                    let link = dir.join("sub/hard");
                    let _ = fs::remove_file(&link);
                    fs::hard_link(&file, &link).expect("a link");
                    spellings.push(link);
                }
            }
            for output in spellings {
                let said = refused(line(case.line, dir, &output));
                assert!(said.contains(&output.display().to_string()), "{:?}: {said}", case.option);
                assert!(contents(dir) == before, "{:?} {}", case.option, output.display());
            }
        }
    }
}

/// The subcommand of a command line, with its arguments.
fn parsed(line: &[String]) -> Option<(String, ArgMatches)> {
    let words = ["ctm".to_string()].into_iter().chain(line.iter().cloned());
    let (mut matches, mut name) = (Cli::command().try_get_matches_from(words).ok()?, String::new());
    while let Some((sub, of)) = matches.subcommand() {
        (matches, name) = (of.clone(), format!("{name} {sub}").trim_start().to_string());
    }
    Some((name, matches))
}

/// The options that write and the arguments that name files to read, of all commands.
fn pairs(given: impl Fn(&str, &Arg) -> bool) -> BTreeSet<[String; 3]> {
    let (mut written, mut read) = (BTreeSet::new(), BTreeSet::new());
    each(&Cli::command(), "", &mut |command, arg| {
        let name = (command.to_string(), arg.get_id().to_string());
        let path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
            && arg.get_action().takes_values();
        let text = TEXTS_WITH_PATHS.iter().any(|[of, id]| *of == command && arg.get_id() == id);
        if !given(command, arg) {
        } else if is_written(arg) {
            written.insert(name);
        } else if (path || text) && arg.get_id() != "root" {
            read.insert(name);
        }
    });
    let of = |(command, option): &(String, String)| {
        let read = read.iter().filter(|(of, _)| of == command);
        let triple = |(_, arg): &(String, String)| [command.clone(), option.clone(), arg.clone()];
        read.map(triple).collect::<Vec<_>>()
    };
    written.iter().flat_map(of).collect()
}

/// Pairs that exclude each other.
const EXCLUDED: [[&str; 3]; 2] =
    [["check", "write_baseline", "baseline"], ["run", "image", "sweep"]];

#[test]
fn every_option_that_writes_is_tested_with_every_argument_that_is_read() {
    let dir = Path::new("DIR");
    let mut tested = BTreeSet::new();
    for case in CASES {
        let words = line(case.line, dir, Path::new("OUT"));
        for word in words.iter().filter_map(|word| Some(word.split_once("DIR/")?.1)) {
            // Jobs are read with their files, and lists with their jobs.
            assert!(
                case.inputs.contains(&word) || case.inputs.len() == 1 || word.ends_with("toml"),
                "{}: {word} is no input",
                case.line
            );
        }
        let (name, given) = parsed(&words).expect(case.line);
        tested.extend(pairs(|command, arg| {
            let id = arg.get_id().as_str();
            command == name
                && given.try_contains_id(id).unwrap_or(false)
                && given.value_source(id) == Some(ValueSource::CommandLine)
        }));
    }
    let mut all = pairs(|_, _| true);
    for pair in EXCLUDED {
        assert!(all.remove(&pair.map(str::to_string)), "{pair:?} is no pair");
    }
    let missing: Vec<_> = all.difference(&tested).collect();
    assert!(missing.is_empty(), "no case: {missing:?}");
}

#[test]
fn no_two_options_write_one_file() {
    let dir = folder();
    let dir = dir.path();
    let new = dir.join("new");
    let mut tried = 0;
    for one in CASES {
        for other in CASES
            .iter()
            .filter(|other| other.option[0] == one.option[0] && other.option[1] != one.option[1])
        {
            let Some((_, last)) = other.line.rsplit_once(" --") else { continue };
            let words = line(&format!("{} --{last}", one.line), dir, &new);
            if parsed(&words).is_none() {
                continue;
            }
            let said = refused(words);
            assert!(!new.exists(), "{} --{last}: {said}", one.line);
            tried += usize::from(said.contains("writes it, too"));
        }
    }
    assert!(tried > 10, "{tried}");
}

#[cfg(unix)]
#[test]
fn no_option_waits_for_the_reader_of_a_pipe() {
    let dir = folder();
    let dir = dir.path();
    let pipe = dir.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    for case in CASES.iter().chain(&OTHERS).filter(|case| !case.pipe) {
        let said = refused(line(case.line, dir, &pipe));
        let reasons = ["it is a pipe, expected a file", "it is not a folder", "it exists"];
        assert!(reasons.iter().any(|reason| said.contains(reason)), "{:?}: {said}", case.option);
    }
}

#[test]
fn a_root_confines_every_path_on_the_command_line() {
    let mut named = BTreeSet::new();
    let mut rooted = BTreeSet::new();
    each(&Cli::command(), "", &mut |command, arg| {
        let path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let with_path =
            TEXTS_WITH_PATHS.iter().any(|[of, id]| *of == command && arg.get_id() == id);
        if arg.get_id() == "root" {
            rooted.insert(command.to_string());
        } else if path || with_path || is_written(arg) {
            named.insert((command.to_string(), arg.get_id().to_string()));
        }
    });
    named.retain(|(command, _)| rooted.contains(command));
    let cases = CONFINED.iter().map(|case| {
        let [command, id] = case.argument;
        (command.to_string(), id.to_string())
    });
    assert_eq!(named, cases.collect());
    for case in &CONFINED {
        let outer = folder();
        let outer = outer.path().canonicalize().expect("a folder");
        let root = outer.join("root");
        fs::create_dir(&root).expect("a folder");
        fill(&root);
        let line_of = |file: &Path| {
            let mut words = line(case.line, &root, file);
            words.extend(["--root".to_string(), root.display().to_string()]);
            words
        };
        let outside = ran(line_of(&outer.join(case.file)));
        let shown = format!("{:?} {}", case.argument, case.file);
        match (&outside, case.says) {
            (Err(said), true) => {
                assert!(said.contains("it is outside the root"), "{shown}: {said}")
            }
            (Ok(false) | Err(_), false) => {
                let _ = fs::remove_file(root.join("new"));
                let inside = ran(line_of(&root.join(case.file)));
                assert!(matches!(inside, Ok(true)), "{shown}: {inside:?}");
            }
            _ => panic!("{shown}: {outside:?}"),
        }
        assert!(!outer.join("new").exists(), "{shown}");
    }
}
