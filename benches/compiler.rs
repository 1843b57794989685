//! What the compiler makes of shaders: instructions and clocks beside Mesa's, and the time it takes.
//!
//! `cargo bench --bench compiler`. The shaders are those of `kernels/glsl`, those of `tests/vectors`, and those of the
//! larger collection of test vectors if there is one. Clocks are those of the slowest units by the model of the
//! performance counters, without those to start and drain the array, for all points of the vector's job.

#[path = "../crates/compiler/tests/compiler/corpus.rs"]
mod corpus;

use corpus::{Outcome, Row};
use ctm::compiler::{Language, Options, compile};
use ctm::device::PARTS;
use std::time::Instant;

/// How often each shader is compiled; the fastest counts.
const TIMES: usize = 5;

/// The shaders of `kernels/glsl`: name, instructions and milliseconds.
fn kernels() -> Vec<(String, usize, f64)> {
    let folder = ctm_testing::files::root().join("kernels/glsl");
    let rows = ["frag", "wgsl"].into_iter().flat_map(|ending| {
        let language = if ending == "wgsl" { Language::Wgsl } else { Language::Glsl };
        ctm_testing::files::files(&folder, ending).into_iter().map(move |source| {
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(source).expect("a source");
            let mut best = f64::INFINITY;
            let mut count = 0;
            for _ in 0..TIMES {
                let start = Instant::now();
                let compiled = compile(&text, &name, language, &Options::default());
                best = best.min(start.elapsed().as_secs_f64() * 1000.0);
                count = compiled.unwrap_or_else(|error| panic!("{error}")).image.words.len();
            }
            (name, count, best)
        })
    });
    rows.collect()
}

/// The shaders of the collections of vectors.
fn vectors() -> Vec<Row> {
    let temporary = tempfile::tempdir().expect("a folder");
    let own = ctm_testing::files::root().join("tests/vectors");
    let collections = [Some(own), ctm_testing::files::collection()].into_iter().flatten();
    let mut rows: Vec<Row> = Vec::new();
    for folder in collections.flat_map(|root| corpus::folders(&root.join("jobs"))) {
        if !rows.iter().any(|row| folder.ends_with(&row.name)) {
            rows.push(corpus::run(&folder, temporary.path(), &Options::default(), TIMES));
        }
    }
    rows
}

fn main() {
    println!("| shader | instructions | Mesa | ratio | clocks | Mesa | ratio | ms |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut times: Vec<(f64, String)> = Vec::new();
    for (name, count, milliseconds) in kernels() {
        println!("| {name} | {count} | - | - | - | - | - | {milliseconds:.1} |");
        times.push((milliseconds, name));
    }
    let rows = vectors();
    for row in &rows {
        let milliseconds = row.seconds * 1000.0;
        times.push((milliseconds, row.name.clone()));
        let name = &row.name;
        match &row.outcome {
            Outcome::Refused(why) | Outcome::Wrong(why) => {
                let why = why.lines().next().unwrap_or_default();
                println!("| {name} | {why} | - | - | - | - | - | {milliseconds:.1} |");
            }
            Outcome::Right => {
                let count = row.ours.instructions;
                let clocks = row.ours.clocks / PARTS;
                match row.mesa {
                    Some(mesa) => println!(
                        "| {name} | {count} | {} | {:.2} | {clocks} | {} | {:.2} | {milliseconds:.1} |",
                        mesa.instructions,
                        count as f64 / mesa.instructions as f64,
                        mesa.clocks / PARTS,
                        row.ours.clocks as f64 / mesa.clocks as f64,
                    ),
                    None => {
                        println!(
                            "| {name} | {count} | - | - | {clocks} | - | - | {milliseconds:.1} |"
                        );
                    }
                }
            }
        }
    }
    let [(instructions, count), (clocks, _)] = corpus::means(&rows);
    let more = |ratio: Option<f64>| ratio.is_some_and(|ratio| ratio > 1.0);
    let dearer = rows.iter().filter(|row| more(row.ratio(|cost| cost.clocks as f64)));
    let longer = rows.iter().filter(|row| more(row.ratio(|cost| cost.instructions as f64)));
    let refused = rows.iter().filter(|row| matches!(row.outcome, Outcome::Refused(_)));
    let wrong = rows.iter().filter(|row| matches!(row.outcome, Outcome::Wrong(_)));
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (slowest, which) = &times[times.len() - 1];
    println!(
        "\n{} shaders, {} refused, {} wrong; of the {count} that Mesa compiled: {instructions:.3} of its instructions and \
         {clocks:.3} of its clocks (geometric means), {} longer, {} with more clocks; {:.1} ms in the median, \
         {slowest:.1} ms at most ({which})",
        times.len(),
        refused.count(),
        wrong.count(),
        longer.count(),
        dearer.count(),
        times[times.len() / 2].0
    );
}
