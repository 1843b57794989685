//! The checks of a run against a slow model of them, over generated programs: every value has the
//! set of registers that it comes from and that were never written, every byte the set of points that
//! wrote it. The model is written from the specification and shares no code with the checks.

use ctm::check::dynamic::{self, Options};
use ctm::check::{Code, Findings};
use ctm::crosscheck::generate::{Strength, generate};
use ctm::engine::reference::Reference;
use ctm::engine::{Checked, Engine, NoProgress};
use ctm::launch::Given;
use std::collections::{BTreeMap, BTreeSet, HashMap};

mod model;

use model::{Events, Model, Point};

/// The compared part of the findings of a code at a pc, with a subject.
fn summary(findings: &Findings) -> BTreeMap<(Code, u32, String), (u64, Point)> {
    let mut all: BTreeMap<(Code, u32, String), (u64, Point)> = BTreeMap::new();
    for finding in findings.iter() {
        let (code, subject) = (finding.code, finding.subject.clone());
        let pc = finding.pc.unwrap_or(0);
        let key = match code {
            Code::Uninitialised | Code::UninitialisedPredicate => {
                (Code::Uninitialised, pc, String::new())
            }
            Code::MissingConstant | Code::PointOutput => (code, 0, subject),
            Code::WriteRace | Code::ReadRace => (code, 0, String::new()),
            _ => (code, pc, subject),
        };
        let (i, j) = finding.first.expect("a point");
        let known = all.entry(key).or_insert((0, (j, i)));
        known.0 += finding.count;
        known.1 = known.1.min((j, i));
    }
    all
}

/// Compares the checks with the model on one generated program. Returns the number of findings.
fn compare(index: u64) -> usize {
    let case = generate(0xC0FFEE, Strength::of_index(index), index);
    let mut launch = case.launch.clone();
    launch.statistics = true;
    let mut constants = (*launch.constants).clone();
    // Some constants are given, some are not.
    constants.given =
        Some(Given { float: [0b10_1101, 0, 0, 0], int: 0x5555_5555, bool: 0x3333_3333 });
    launch.constants = constants.into();
    let Ok(checked) = Checked::new(&launch) else {
        return 0;
    };
    let name = format!("program {index}");
    let memory = || case.memory().expect("memory");

    let mut silent = memory();
    let outcome = Reference::new().run_checked(&checked, &mut silent, &NoProgress).expect("runs");
    let mut watched = memory();
    let codes = Code::ALL.iter().copied().filter(|code| !code.is_static()).collect();
    let options = Options { codes, ..Options::default() };
    let (found, same) =
        dynamic::check_launch(&checked, &mut watched, &options, &NoProgress).expect("runs");
    assert_eq!(same, outcome, "{name}: the checks change the outcome");
    assert!(silent.ranges().eq(watched.ranges()), "{name}: the checks change memory");

    let mut model = Model {
        launch: &checked,
        slots: Vec::new(),
        dropped: BTreeSet::new(),
        events: Events::default(),
        writers: HashMap::new(),
        accesses: Vec::new(),
    };
    Reference::new().run_observed(&checked, &mut memory(), &NoProgress, &mut model).expect("runs");
    model.races();
    let mut findings = found.findings.clone();
    findings.retain(|finding| finding.code != Code::Flushed);
    let (mut got, mut want) = (summary(&findings), BTreeMap::new());
    // Faults are those of the run; the engines are compared elsewhere.
    for (code, fault) in outcome.faults.iter() {
        let key = (Code::Fault, fault.pc, code.name().to_string());
        want.insert(key, (fault.count, (fault.j, fault.i)));
    }
    for ((code, pc, subject), event) in &model.events.0 {
        let first = *event.points.first().expect("a point");
        want.insert((*code, *pc, subject.clone()), (event.count, first));
    }
    // One use may have several origins; the checks count each of them, the model each use.
    for ((code, ..), (count, _)) in got.iter_mut().chain(&mut want) {
        if *code == Code::Uninitialised {
            *count = 0;
        }
    }
    assert_eq!(got, want, "{name}");
    for finding in findings.iter() {
        if matches!(finding.code, Code::Uninitialised | Code::UninitialisedPredicate) {
            let key = (Code::Uninitialised, finding.pc.expect("a pc"), String::new());
            let origins = &model.events.0[&key].origins;
            assert!(origins.contains(&finding.subject), "{name}: {finding:?}, not {origins:?}");
        }
    }
    // Of faults only the first points are known.
    let points = found.points.iter().filter(|((code, _), _)| *code != Code::Fault);
    for (&(code, _), points) in points {
        let group = |code| match code {
            Code::UninitialisedPredicate => Code::Uninitialised,
            code => code,
        };
        let all: BTreeSet<Point> = model
            .events
            .0
            .iter()
            .filter(|((of, ..), _)| *of == group(code))
            .flat_map(|(_, event)| event.points.iter().copied())
            .collect();
        let mut number = 0;
        for &(j, i) in &all {
            number += u64::from(points.contains((i, j)));
        }
        if code != Code::Flushed {
            assert_eq!(number, points.len(), "{name}: {}", code.name());
        }
        if !matches!(code, Code::Flushed | Code::Uninitialised | Code::UninitialisedPredicate) {
            assert_eq!(points.len(), all.len() as u64, "{name}: {}", code.name());
        }
    }
    got.len()
}

fn compare_all(programs: std::ops::Range<u64>) {
    let found: usize = programs.map(compare).sum();
    println!("{found} findings");
    assert!(found > 100);
}

#[test]
fn the_checks_agree_with_the_model() {
    compare_all(0..500);
}

#[test]
#[ignore = "takes long"]
fn the_checks_agree_with_the_model_on_all_programs() {
    compare_all(500..2000);
}
