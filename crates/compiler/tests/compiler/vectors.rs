//! Shaders with known results: all are right, and cheaper than what Mesa made of them.

use super::corpus::{self, Outcome, Row};
use ctm_compiler::{Flow, Level, Options};
use ctm_machine::device::PARTS;
use std::path::Path;

const FLOWS: [Flow; 3] = [Flow::Chosen, Flow::Flattened, Flow::Structured];

/// Compiles and runs all shaders of a folder; prints a table.
fn check(root: &Path, flow: Flow) {
    let temporary = tempfile::tempdir().expect("a folder");
    let options = Options { flow, ..Options::default() };
    let run = |folder: &std::path::PathBuf| corpus::run(folder, temporary.path(), &options, 1);
    let rows: Vec<Row> = corpus::folders(root).iter().map(run).collect();
    assert!(rows.len() > 50, "{}: {} shaders", root.display(), rows.len());
    let straight = flow != Flow::Structured;
    let mut problems = Vec::new();
    for Row { name, outcome, ours, mesa, seconds } in &rows {
        let text = match outcome {
            Outcome::Right => {
                if let Some(mesa) = mesa
                    && straight
                    && ours.instructions as f64 > 1.3 * mesa.instructions as f64 + 2.0
                {
                    problems.push(format!(
                        "{name}: {} instructions, Mesa {}",
                        ours.instructions, mesa.instructions
                    ));
                }
                "right".to_string()
            }
            Outcome::Refused(why) => {
                problems.push(format!("{name}: {why}"));
                format!("refused: {}", why.lines().next().unwrap_or_default())
            }
            Outcome::Wrong(why) => {
                problems.push(format!("{name}: {why}"));
                format!("wrong: {}", why.lines().next().unwrap_or_default())
            }
        };
        let [instructions, clocks] = match mesa {
            Some(mesa) => [mesa.instructions.to_string(), (mesa.clocks / PARTS).to_string()],
            None => ["-".to_string(), "-".to_string()],
        };
        let (count, time) = (ours.instructions, ours.clocks / PARTS);
        let milliseconds = seconds * 1000.0;
        println!(
            "{name:32} {count:4} {instructions:>4} {time:6} {clocks:>6} {milliseconds:6.1} {text}"
        );
    }
    let [(instructions, count), (clocks, _)] = corpus::means(&rows);
    println!(
        "{} shaders; {instructions:.3} of Mesa's instructions, {clocks:.3} of its clocks ({count})",
        rows.len()
    );
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let [most, longest] = if straight { [0.8, 0.95] } else { [0.95, 1.05] };
    assert!(instructions <= most, "{instructions} of Mesa's instructions");
    assert!(clocks <= longest, "{clocks} of Mesa's clocks");
}

/// A search gives the same program each time, a right one, and none that costs more.
#[test]
fn a_search_finds_no_worse_program() {
    let temporary = tempfile::tempdir().expect("a folder");
    let jobs = ctm_testing::files::root().join("tests/vectors/jobs");
    for name in ["gp_mrt_eig2", "alu_geom", "fc_collatz"] {
        let folder = jobs.join(name);
        let [plain, first, second] = [Level::Usual, Level::Search, Level::Search].map(|level| {
            let options = Options { level, ..Options::default() };
            let row = corpus::run(&folder, temporary.path(), &options, 1);
            assert!(matches!(row.outcome, Outcome::Right), "{name}");
            row.ours
        });
        assert!(first.instructions <= plain.instructions, "{name}");
        assert!(first.clocks <= plain.clocks, "{name}");
        assert_eq!((first.instructions, first.clocks), (second.instructions, second.clocks));
    }
}

#[test]
fn shaders_in_the_repository_give_what_is_expected() {
    let jobs = ctm_testing::files::root().join("tests/vectors/jobs");
    for flow in FLOWS {
        check(&jobs, flow);
    }
}

#[test]
fn all_shaders_give_what_is_expected() {
    if let Some(vectors) = ctm_testing::files::collection() {
        for flow in FLOWS {
            check(&vectors.join("jobs"), flow);
        }
    }
}
