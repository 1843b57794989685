//! The optimizer, for all inputs: programs with it are proved equal to those without.

use super::corpus::{self, Outcome};
use super::languages::kernels;
use ctm_base::stop::Stop;
use ctm_compiler::{Language, Level, Options, compile};
use ctm_lang::program::Program;
use ctm_prove::{Answer, Set, Setup, prove};
use std::path::{Path, PathBuf};

fn vectors() -> Vec<PathBuf> {
    corpus::folders(&ctm_testing::files::root().join("tests/vectors/jobs"))
}

fn compiled(path: &Path, precise: bool, level: Level) -> Option<Program> {
    let source = std::fs::read_to_string(path).expect("a source");
    let wgsl = path.extension().is_some_and(|ending| ending == "wgsl");
    let language = if wgsl { Language::Wgsl } else { Language::Glsl };
    let options = Options { precise, level, ..Options::default() };
    let compiled = compile(&source, "source", language, &options).ok()?;
    Some(Program::new(compiled.image).expect("a program"))
}

/// How many of the shaders are proved, how many are equal up to rounding, how many there are, and those that differ.
fn answers(precise: bool) -> ([usize; 3], Vec<String>) {
    let sources = vectors().into_iter().map(|folder| folder.join("source.frag"));
    let ([mut proved, mut rounded, mut all], mut different) = ([0; 3], Vec::new());
    for path in kernels().into_iter().chain(sources) {
        let [a, b] =
            [Level::Unoptimized, Level::Usual].map(|level| compiled(&path, precise, level));
        let (Some(a), Some(b)) = (a, b) else { continue };
        all += 1;
        let programs = [&a, &b];
        let [x, y] = Setup::by_name(programs).expect("interfaces");
        let set = if precise { Set::Bits } else { Set::Values };
        let options = ctm_prove::Options {
            set,
            steps: 100_000,
            samples: 16,
            seed: 1,
            ..ctm_prove::Options::default()
        };
        match prove(programs, [&x, &y], &options, Stop::never()) {
            Answer::Proved => proved += 1,
            Answer::Different { of, at } => {
                different.push(format!("{}: {} {:?}", path.display(), of.place, at.bits));
            }
            Answer::EqualUpToRounding { .. } => rounded += 1,
            Answer::NotDecided { reason, .. } => {
                let reason = reason.map(|reason| reason.to_string());
                println!("{}: {}", path.display(), reason.as_deref().unwrap_or("the terms differ"));
            }
        }
    }
    let differ = different.len();
    println!(
        "precise {precise}: {proved} of {all} proved, {rounded} up to rounding, {differ} differ"
    );
    ([proved, rounded, all], different)
}

/// The exact rules change no bit, and most of what they make is proved.
#[test]
fn exact_rules_are_proved_for_all_inputs() {
    let ([proved, _, all], different) = answers(true);
    assert!(different.is_empty(), "{different:#?}");
    assert!(proved * 10 >= all * 7, "{proved} of {all}");
}

/// The rules that GLSL allows change roundings; where they do not, programs are proved.
#[test]
fn all_rules_are_proved_where_no_rounding_changes() {
    let ([proved, rounded, all], different) = answers(false);
    assert!(proved * 2 > all && rounded > 0, "{proved} and {rounded} of {all}");
    // Roundings of these are far apart, where numbers cancel.
    assert!(different.len() * 20 <= all, "{different:#?}");
}

#[test]
fn unoptimized_programs_are_right() {
    let temporary = tempfile::tempdir().expect("a folder");
    let options = Options { level: Level::Unoptimized, ..Options::default() };
    let (mut longer, mut right) = (0, 0);
    for folder in vectors() {
        let row = corpus::run(&folder, temporary.path(), &options, 1);
        match row.outcome {
            Outcome::Right => right += 1,
            // Too long.
            Outcome::Refused(why) => assert!(why.contains("512 instructions"), "{why}"),
            Outcome::Wrong(why) => panic!("{}: {why}", row.name),
        }
        let usual = corpus::run(&folder, temporary.path(), &Options::default(), 1);
        longer += usize::from(usual.ours.instructions < row.ours.instructions);
    }
    assert!(right > 50 && longer > 30, "{right} right, {longer} longer");
}
