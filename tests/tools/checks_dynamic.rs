//! The checks of a run: seeded mistakes, and programs that must be silent.

use ctm::check::dynamic::{self, Found, Options};
use ctm::check::{Code, Finding};
use ctm::engine::NoProgress;
use ctm::job::Job;
use ctm_testing::files;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn options(codes: &[Code]) -> Options {
    Options { codes: codes.to_vec(), ..Options::default() }
}

/// All codes of a run, those that are off by default included.
fn all_codes() -> Vec<Code> {
    Code::ALL.iter().copied().filter(|code| !code.is_static()).collect()
}

fn run(file: &Path, options: &Options) -> (Job, Found) {
    let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
    let found = dynamic::check_job(&job, options, &NoProgress)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    (job, found)
}

/// A finding as text: the code, the place with its line, the first point, the count, the message;
/// then the label and the notes.
fn text(job: &Job, finding: &Finding) -> String {
    let image = job.passes[finding.pass].program.image();
    let place = |pc: Option<u32>| match pc {
        Some(pc) => match image.source.get().and_then(|map| map.location(pc)) {
            Some(at) => format!("pc {pc}, line {}", at.line),
            None => format!("pc {pc}"),
        },
        None => "program".to_string(),
    };
    let first = finding.first.map(|(i, j)| format!(", first ({i}, {j})")).unwrap_or_default();
    let mut text = format!(
        "{} at {} of pass {}, {} times{first}\n    {}\n    {}\n",
        finding.code.name(),
        place(finding.pc),
        finding.pass,
        finding.count,
        finding.message,
        finding.label,
    );
    for note in &finding.notes {
        writeln!(text, "    {}: {}", place(note.pc), note.text).expect("text");
    }
    text
}

fn report(job: &Job, found: &Found) -> String {
    found.findings.iter().map(|finding| text(job, finding)).collect()
}

/// A case of tests/checks: what it is about, a job, a program, and the report. `CTM_BLESS=1`
/// writes the reports that are found.
struct Case {
    path: PathBuf,
    about: String,
    job: String,
    program: String,
    report: String,
}

impl Case {
    fn read(path: &Path) -> Case {
        let text = std::fs::read_to_string(path).expect("a case");
        let mut parts = text.split("\n--- ");
        let mut part = |name: &str| {
            let part = parts.next().unwrap_or_else(|| panic!("{}: no {name}", path.display()));
            let part =
                part.strip_prefix(name).unwrap_or_else(|| panic!("{}: no {name}", path.display()));
            part.trim_matches('\n').to_string()
        };
        let (about, job) = (part("#"), part("job"));
        let (program, report) = (part("program"), part("report"));
        Case { path: path.to_path_buf(), about, job, program, report }
    }

    fn write(&self, report: &str) {
        let Case { about, job, program, .. } = self;
        let text =
            format!("#{about}\n\n--- job\n{job}\n\n--- program\n{program}\n\n--- report\n{report}");
        std::fs::write(&self.path, text).expect("a case");
    }

    fn code(&self) -> String {
        let folder = self.path.parent().and_then(Path::file_name).expect("a folder");
        folder.to_string_lossy().into_owned()
    }

    /// The report of the checks: all codes, but denormals only in their own cases.
    fn run(&self, folder: &Path) -> String {
        std::fs::write(folder.join("program.dpp"), &self.program).expect("a program");
        let file = folder.join("job.toml");
        std::fs::write(&file, &self.job).expect("a job");
        let mut codes = all_codes();
        codes.retain(|&code| code.is_default() || code.name() == self.code());
        let (job, found) = run(&file, &options(&codes));
        report(&job, &found)
    }
}

/// All cases of the codes that a run finds.
fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checks");
    let cases = files::files(&folder, "check").into_iter().map(|path| Case::read(&path));
    cases.collect()
}

/// Every seeded mistake is reported where it is, with its origin, and nothing else is.
#[test]
fn seeded_mistakes_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for case in cases() {
        let found = case.run(folder.path());
        if std::env::var_os("CTM_BLESS").is_some() {
            case.write(&found);
        } else if found.trim() != case.report.trim() {
            wrong.push(format!(
                "{}:\n--- expected\n{}\n--- found\n{found}",
                case.path.display(),
                case.report
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Recordings and sources have cases of their own.
fn codes_of_programs_and_jobs() -> impl Iterator<Item = Code> {
    let others =
        [Code::SubmissionError, Code::MissingCacheCommand, Code::SourceWarning, Code::SourceError];
    all_codes().into_iter().filter(move |code| !others.contains(code))
}

/// Each code has four cases with a finding, and each report begins with the code of its folder.
#[test]
fn each_code_has_its_cases() {
    for code in codes_of_programs_and_jobs() {
        let found = cases().into_iter().filter(|case| {
            case.code() == code.name() && case.report.starts_with(&format!("{} at ", code.name()))
        });
        let count = found.count();
        assert!(count >= 4, "{}: {count} cases", code.name());
    }
    for case in cases() {
        let silent = case.path.ends_with("silent.check");
        assert_eq!(case.report.is_empty(), silent, "{}", case.path.display());
    }
}

/// The example of each page is a finding of its code, in a job that gives what the example names.
#[test]
fn examples_of_the_pages_are_findings_of_their_codes() {
    let folder = tempfile::tempdir().expect("a folder");
    for code in codes_of_programs_and_jobs() {
        let page = ctm::check::explain::page(code);
        let (_, rest) = page.split_once("```asm\n").expect("an example");
        let (source, _) = rest.split_once("```").expect("its end");
        std::fs::write(folder.path().join("program.dpp"), source).expect("a program");
        let has = |text: &str| source.contains(text);
        let format = if has(".umrt") { "FLOAT32_1" } else { "FLOAT32_4" };
        let input = if has("share memory") { "out" } else { "in" };
        let mut job = format!(
            "version = 1\n\
             [[buffer]]\nname = \"in\"\nformat = \"FLOAT32_4\"\nwidth = 16\nheight = 16\n\
             [[buffer]]\nname = \"out\"\nformat = \"{format}\"\nwidth = 16\nheight = 16\n\
             [[pass]]\nprogram = {{ file = \"program.dpp\" }}\n\
             domain = {{ i0 = 0, j0 = 0, i1 = 15, j1 = 15 }}\n"
        );
        if has("i0[") {
            writeln!(job, "inputs = {{ 0 = \"{input}\" }}").expect("text");
        }
        if has("o0") {
            job += "outputs = { 0 = \"out\" }\n";
        }
        if has("c0") && code != Code::MissingConstant {
            job += "constants = { float = { 0 = [1, 2, 3, 4] } }\n";
        }
        if has(".sharing") {
            job += "[sharing]\nsimds = 1\n";
        }
        let file = folder.path().join("job.toml");
        std::fs::write(&file, job).expect("a job");
        let mut wanted = all_codes();
        wanted.retain(|&one| one.is_default() || one == code);
        let (_, found) = run(&file, &options(&wanted));
        let found: BTreeSet<Code> = found.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(found, BTreeSet::from([code]), "{source}");
    }
}

/// The parts of a launch, and the number of threads, do not change what is found.
#[test]
fn threads_change_nothing() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/scatter/scatter.toml");
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (job, found) = pool.install(|| run(&file, &options(&all_codes())));
        (report(&job, &found), found.points, found.checked)
    };
    assert_eq!(on(1), on(3));
}

/// A sample checks at most so many points, in whole groups, and leaves the results as they are.
#[test]
fn a_sample_checks_less() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/sobel/sobel.toml");
    let all = run(&file, &options(&all_codes())).1.checked;
    let some = Options { points: Some(640), ..options(&all_codes()) };
    let some = run(&file, &some).1.checked;
    assert!(some > 0 && some < all / 20, "{some} of {all}");
}

/// Findings in programs of others that are true. A line has the beginning of a path, a code, and
/// after # the reason.
const KNOWN: &str = include_str!("../checks/known_runs.txt");

/// The findings of jobs below a folder that are not known; `used` gets the lines that are.
fn unknown(folder: &Path, name: &str, used: &mut BTreeSet<&'static str>) -> Vec<String> {
    let mut unknown = Vec::new();
    for path in files::files(&folder.join(name), "toml") {
        // Their programs are those of small jobs.
        if files::is_large(&path) {
            continue;
        }
        let relative = path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned();
        let (job, found) = run(&path, &Options::default());
        for finding in found.findings.iter() {
            let known = KNOWN.lines().filter(|line| !line.starts_with('#')).find(|line| {
                let (entry, reason) = line.split_once(" # ").expect("a reason");
                let (path, code) = entry.split_once(' ').expect("a path and a code");
                assert!(!reason.is_empty(), "{line}");
                relative.starts_with(path) && finding.code.name() == code
            });
            match known {
                Some(line) => _ = used.insert(line),
                None => unknown.push(format!("{relative}: {}", text(&job, finding))),
            }
        }
    }
    unknown
}

/// Kernels and vectors are silent, except for what is known and true.
#[test]
fn programs_without_mistakes_are_silent() {
    let mut used = BTreeSet::new();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = unknown(package, "kernels", &mut used);
    wrong.extend(unknown(package, "tests/vectors", &mut used));
    let mut all = false;
    if let Some(vectors) = files::collection() {
        all = true;
        for name in ["jobs", "exact", "mesa-bugs"] {
            wrong.extend(unknown(&vectors, name, &mut used));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if all {
        let lines = KNOWN.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let large = |line: &str| {
            let path = line.split_once(' ').map_or(line, |(path, _)| path);
            path.ends_with(".toml") && files::is_large(&package.join(path))
        };
        let unused: Vec<&str> = lines.filter(|line| !used.contains(line) && !large(line)).collect();
        assert!(unused.is_empty(), "not found any more: {unused:?}");
    }
}
