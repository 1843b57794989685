//! `ctm card`.

use super::signals::Signals;
use super::{Exit, print};
use anyhow::{Context, bail};
use ctm_base::files;
use ctm_base::text::numbers::table;
use ctm_engine::block::Block;
use ctm_lang::asm::{Style, disassemble};
use ctm_machine::launch::FloatMode;
use ctm_tools::card::{self, Colour, Test, Verdict, result};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Compare the modes of arithmetic with a real card: 1306 tests whose results on an RV530 are known.
#[derive(clap::Args)]
#[command(after_help = "\
The tests are piglit's, as Mesa 25.0.7 compiles them for R500; the card's list of failing tests is
Mesa's. A mode agrees with the card on a test if its probes hold in the one and in the other, or in
neither. Two tests are flaky on the card; they run and do not count.

Those who have a card can find out more: examples/card has tests and says how to run them.

Examples:
  ctm card                       how many tests each mode agrees on; which tell the modes apart
  ctm card --list                all tests with the card's verdict
  ctm card --show fs-op-div-ivec3-ivec3
                                 the program, its draws, their colours in each mode, the probes
  ctm card --read result.txt     which rules the output of examples/card supports

Exit status: 0 done, 2 bad usage or bad input.")]
pub struct Args {
    /// Print the names of all tests with the card's verdict
    #[arg(long, conflicts_with_all = ["show", "read"])]
    list: bool,
    /// Print a test by its name or the end of its name, and mark the draws on which the modes differ
    #[arg(long, value_name = "NAME", conflicts_with = "read")]
    show: Option<String>,
    /// Print the rules that the output of the tests in examples/card supports
    #[arg(long, value_name = "RESULT")]
    read: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The largest file of `--read`, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    if let Some(file) = &args.read {
        let name = || file.display().to_string();
        let bytes = files::read(file, MAX_FILE).with_context(name)?;
        let answers = result::read(&String::from_utf8_lossy(&bytes)).with_context(name)?;
        print(if args.json {
            format!("{}\n", json!({ "answers": answers }))
        } else {
            answers.iter().map(ToString::to_string).collect()
        })?;
        return Ok(Exit::Done);
    }
    let tests = card::tests()?;
    if args.list {
        list(&tests, args.json)?;
    } else if let Some(name) = &args.show {
        let name = name.as_str();
        let found: Vec<&Test> = tests.iter().filter(|test| test.name.ends_with(name)).collect();
        let exact = found.iter().find(|test| test.name == name);
        match (exact, &found[..]) {
            (Some(test), _) | (None, [test]) => show(test, args.json)?,
            (None, []) => bail!("--show {name}: there is no such test; see --list"),
            (None, more) => bail!("--show {name}: {} tests end so; see --list", more.len()),
        }
    } else {
        signals.or_obey(summary(&tests, args.json, &signals))?;
    }
    Ok(Exit::Done)
}

/// A mode and the results of all tests.
type Results = (FloatMode, Vec<bool>);

fn summary(tests: &[Test], json: bool, signals: &Signals) -> anyhow::Result<()> {
    let mut results: Vec<Results> = Vec::new();
    for mode in FloatMode::ALL {
        results.push((mode, card::run(tests, &Block::new(), mode, signals.stop())?));
    }
    let names = |(_, passes): &Results, agrees: bool| -> Vec<&str> {
        let both = tests.iter().zip(passes);
        let both = both.filter(|(test, passes)| card::agrees(test, **passes) == Some(agrees));
        both.map(|(test, _)| test.name.as_str()).collect()
    };
    let apart: Vec<(usize, &Test)> = tests
        .iter()
        .enumerate()
        .filter(|(n, test)| {
            let first = results[0].1[*n];
            test.verdict != Verdict::Flake && results.iter().any(|(_, passes)| passes[*n] != first)
        })
        .collect();
    let counted = tests.iter().filter(|test| test.verdict != Verdict::Flake).count();
    let flaky = tests.len() - counted;
    let word = |passes: bool| if passes { "pass" } else { "fail" };
    if json {
        let object = json!({
            "card": "RV530",
            "tests": counted,
            "flaky": flaky,
            "modes": results.iter().map(|result| json!({
                "mode": result.0.name(),
                "agrees": names(result, true).len(),
                "disagrees": names(result, false),
            })).collect::<Vec<_>>(),
            "apart": apart.iter().map(|(n, test)| {
                let mut object = json!({ "name": test.name, "card": test.verdict.name() });
                for (mode, passes) in &results {
                    object[mode.name()] = word(passes[*n]).into();
                }
                object
            }).collect::<Vec<_>>(),
        });
        return print(format!("{object}\n"));
    }
    let mut text = format!(
        "{counted} tests with a constant result on an RV530; {flaky} more are flaky there\n"
    );
    let mut lines = vec![["mode", "agrees", "disagrees"].map(String::from).to_vec()];
    for result in &results {
        let [yes, no] = [true, false].map(|agrees| names(result, agrees).len().to_string());
        lines.push(vec![result.0.name().to_string(), yes, no]);
    }
    text += &table(&lines);
    if !apart.is_empty() {
        text += "tests that tell the modes apart:\n";
    }
    for (n, test) in apart {
        let _ = write!(text, "  {}: card {}", test.name, test.verdict);
        for (mode, passes) in &results {
            let _ = write!(text, ", {mode} {}", word(passes[n]));
        }
        text.push('\n');
    }
    print(text)
}

fn list(tests: &[Test], json: bool) -> anyhow::Result<()> {
    if json {
        let list = tests.iter().map(|t| json!({ "name": t.name, "card": t.verdict.name() }));
        return print(format!("{}\n", json!({ "tests": list.collect::<Vec<_>>() })));
    }
    let lines = tests.iter().map(|test| format!("{:<5} {}\n", test.verdict, test.name));
    print(lines.collect::<String>())
}

/// A colour as numbers.
fn floats(colour: [u32; 4]) -> [f32; 4] {
    colour.map(f32::from_bits)
}

fn show(test: &Test, json: bool) -> anyhow::Result<()> {
    let modes = [FloatMode::Exact, FloatMode::Chip];
    let [exact, chip] = modes.map(|mode| test.colours(&Block::new(), mode));
    let colours = [exact?, chip?];
    let holds = |n: usize| test.probes[n].holds(&colours[0]) == test.probes[n].holds(&colours[1]);
    let program = test.program.as_deref();
    let used = |n: &usize| program.is_some_and(|program| program.uses().float_constants[*n]);
    let constants = |draw: &card::Draw| -> Vec<(usize, [u32; 4])> {
        (0..256).filter(used).map(|n| (n, draw.constants.float[n])).collect()
    };
    if json {
        let hex = |words: [u32; 4]| words.map(|word| format!("0x{word:08x}"));
        let object = json!({
            "name": test.name,
            "card": test.verdict.name(),
            "program": program.map(|program| disassemble(program.image(), Style::Friendly)),
            "draws": test.draws.iter().enumerate().map(|(n, draw)| json!({
                "constants": constants(draw).into_iter()
                    .map(|(n, value)| (format!("c{n}"), hex(value).into()))
                    .collect::<serde_json::Map<_, _>>(),
                "exact": colours[0][n].map(hex),
                "chip": colours[1][n].map(hex),
            })).collect::<Vec<_>>(),
            "probes": test.probes.iter().map(|probe| json!({
                "pixel": probe.pixel,
                "draws": probe.colours.iter().filter_map(|colour| match colour {
                    Colour::Draw(n) => Some(n),
                    Colour::Clear(_) => None,
                }).collect::<Vec<_>>(),
                "expected": probe.expected.iter().map(|(value, _)| value).collect::<Vec<_>>(),
                "exact": probe.holds(&colours[0]),
                "chip": probe.holds(&colours[1]),
            })).collect::<Vec<_>>(),
        });
        return print(format!("{object}\n"));
    }
    let mut text = format!("{}: {} on the card\n", test.name, test.verdict);
    if let Some(program) = program {
        text += &disassemble(program.image(), Style::Friendly);
    }
    for (n, draw) in test.draws.iter().enumerate() {
        let differ =
            if colours[0][n] == colours[1][n] { "" } else { " the modes give different colours" };
        let _ = writeln!(text, "draw {n}:{differ}");
        for (constant, value) in constants(draw) {
            let _ = writeln!(text, "  c{constant} = {:?}", floats(value));
        }
        for (temp, value) in &draw.initial {
            let _ = writeln!(text, "  r{temp} = {:?}", floats(*value));
        }
        for (mode, colours) in modes.iter().zip(&colours) {
            let _ = match colours[n] {
                Some(colour) => writeln!(text, "  colour in mode {mode}: {:?}", floats(colour)),
                None => writeln!(text, "  killed in mode {mode}"),
            };
        }
    }
    for (n, probe) in test.probes.iter().enumerate() {
        let of = probe.colours.iter().map(|colour| match colour {
            Colour::Draw(draw) => format!("draw {draw}"),
            Colour::Clear(_) => "the clear".to_string(),
        });
        let of = of.collect::<Vec<_>>().join(" over ");
        let expected: Vec<f64> = probe.expected.iter().map(|(value, _)| *value).collect();
        let word = |holds: bool| if holds { "holds" } else { "does not hold" };
        let [exact, chip] = [0, 1].map(|mode| word(probe.holds(&colours[mode])));
        let [x, y] = probe.pixel;
        let result = if holds(n) {
            format!("{exact} in modes exact and chip")
        } else {
            format!("{exact} in mode exact, {chip} in mode chip")
        };
        let _ = writeln!(text, "probe ({x}, {y}) of {of}: {expected:?} {result}");
    }
    print(super::escaped(&text))
}
