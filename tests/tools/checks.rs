//! The checks of programs: mistakes put into programs by hand are reported at the right line and
//! nothing else is; programs without mistakes are silent.
//!
//! tests/checks has a folder for each code. A line with `<--` is where its program's findings are;
//! without such a line they are about the whole program. The report beside it is compared word for
//! word; `CTM_BLESS=1` rewrites it.

use ctm::asm::assemble;
use ctm::check::report::{FileReport, Named, texts};
use ctm::check::statics::{self, Bound};
use ctm::check::{Code, allow};
use ctm::engine::Stop;
use ctm::job::{Job, SharedFiles};
use ctm::load::load;
use ctm::program::Program;
use ctm_testing::files::{self, files};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The findings of a source.
fn report(source: &str, name: &str) -> FileReport {
    let image = assemble(source, name).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let program = Program::new(image).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(allow::unknown(&program), [], "{name}");
    let findings = statics::run(&program, None, Stop::never()).expect("not stopped").into_iter();
    let findings = findings.filter(|finding| !allow::allows(&program, finding));
    let findings = findings.map(|finding| (finding.code.severity(), finding)).collect();
    let programs = vec![Named { name: name.to_string(), program: Arc::new(program) }];
    FileReport { file: name.to_string(), programs, findings, reads_before_writing: Vec::new() }
}

#[test]
fn mistakes_are_reported_at_their_lines_and_nothing_else_is() {
    let bless = std::env::var_os("CTM_BLESS").is_some();
    let mut wrong = Vec::new();
    for code in Code::ALL.into_iter().filter(|code| code.is_static()) {
        let sources = files(&root().join("tests/checks").join(code.name()), "dpp");
        assert!(sources.len() >= 4, "{code}: {} programs", sources.len());
        for path in sources {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            let source = fs::read_to_string(&path).unwrap();
            let report = report(&source, &name);
            let marked: BTreeSet<u32> = (1..)
                .zip(source.lines())
                .filter(|(_, line)| line.contains("<--"))
                .map(|(n, _)| n)
                .collect();
            let image = report.programs[0].program.image();
            let found: BTreeSet<u32> = report
                .findings
                .iter()
                .filter_map(|(_, finding)| Some(image.location(finding.pc?)?.line))
                .collect();
            let codes: Vec<Code> = report.findings.iter().map(|(_, f)| f.code).collect();
            if found != marked || codes.is_empty() || codes.iter().any(|of| *of != code) {
                wrong
                    .push(format!("{name}: {codes:?} at {found:?}, expected {code} at {marked:?}"));
            }
            let fresh: String = texts(&report, false).collect();
            let expected = path.with_extension("txt");
            if bless {
                fs::write(&expected, &fresh).unwrap();
            } else if fs::read_to_string(&expected).unwrap_or_default() != fresh {
                wrong.push(format!("{name}: the report differs:\n{fresh}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_of_the_pages_are_findings_of_their_codes() {
    for code in Code::ALL.into_iter().filter(|code| code.is_static()) {
        let page = ctm::check::explain::page(code);
        let (_, rest) = page.split_once("```asm\n").expect("an example");
        let (source, _) = rest.split_once("```").expect("its end");
        let found: Vec<Code> =
            report(source, "example.dpp").findings.iter().map(|(_, f)| f.code).collect();
        assert_eq!(found, [code], "{source}");
    }
}

/// Findings in programs of others that are true.
const KNOWN: &str = include_str!("../checks/known.txt");

/// Checks all programs and jobs below folders of `root`. All findings must be known ones. Returns
/// the numbers of programs and jobs, and the known findings that were not found.
fn silent(root: &Path, folders: &[&str]) -> (usize, usize, Vec<&'static str>) {
    let known: Vec<(&str, &str)> = KNOWN
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (finding, reason) = line.split_once('#').expect("a reason");
            assert!(!reason.trim().is_empty(), "{line}");
            finding.trim().split_once(' ').expect("a path and a code")
        })
        .collect();
    let mut used = BTreeSet::new();
    let mut unknown = Vec::new();
    let mut check = |path: &Path, program: &Program, bound: Option<&Bound>| {
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        for finding in statics::run(program, bound, Stop::never()).expect("not stopped") {
            let of = |(path, code): &&(&str, &str)| {
                name.starts_with(path) && *code == finding.code.name()
            };
            match known.iter().find(of) {
                Some(entry) => _ = used.insert(entry),
                None => unknown.push(format!("{name}: {finding:?}")),
            }
        }
    };
    let (mut programs, mut jobs) = (0, 0);
    let shared = SharedFiles::new();
    for folder in folders {
        for path in files(&root.join(folder), "dpp") {
            let loaded =
                load(&fs::read(&path).unwrap(), "kernel", None, None, Stop::never()).unwrap();
            check(&path, &Program::new(loaded.image).unwrap(), None);
            programs += 1;
        }
        for path in files(&root.join(folder), "toml") {
            let job = Job::read_shared(&path, &shared, Stop::never());
            let job = job.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            for (pass, bound) in job.passes.iter().zip(Bound::of_job(&job)) {
                check(&pass.program_file, &pass.program, Some(&bound));
            }
            jobs += 1;
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    let unused = known.iter().filter(|entry| !used.contains(entry)).map(|(path, _)| *path);
    (programs, jobs, unused.collect())
}

#[test]
fn programs_without_mistakes_are_silent() {
    let (programs, jobs, unused) = silent(&root(), &["kernels", "tests/vectors"]);
    assert!(programs >= 13 && jobs >= 200, "{programs} programs, {jobs} jobs");
    let unused: Vec<_> = unused.iter().filter(|path| path.starts_with("tests/")).collect();
    assert!(unused.is_empty(), "{unused:?} is not found any more");
}

#[test]
fn programs_beside_the_checkout_are_silent() {
    let Some(vectors) = files::collection() else {
        return;
    };
    let (_, jobs, unused) = silent(&vectors, &["jobs", "exact", "mesa-bugs", "perf"]);
    assert!(jobs >= 819, "{jobs} jobs");
    let unused: Vec<_> = unused.iter().filter(|path| !path.starts_with("tests/")).collect();
    assert!(unused.is_empty(), "{unused:?} is not found any more");
}
