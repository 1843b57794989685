//! Generated shaders agree with the evaluator; a compiler with a mistake is found.

use super::check;
use super::fuzz::{
    Counts, Found, Listener, Options, compile, reduced, run, run_mistaken, run_mutated,
};
use super::generate::generate;
use ctm_base::text::{Span, TextErrors};
use ctm_compiler::{Compiled, Flow, Language, Options as Compiling};
use ctm_lang::asm::{Style, disassemble};
use ctm_lang::program::Program;
use ctm_machine::engine::block::Block;
use parking_lot::Mutex;

#[derive(Default)]
struct Finds(Mutex<Vec<Found>>);

impl Listener for Finds {
    fn found(&self, found: Found) -> bool {
        self.0.lock().push(found);
        false
    }
}

fn options(count: u64, precise: bool) -> Options {
    Options { seed: 5, first: 0, count, precise, time: None }
}

fn agree(precise: bool) -> Counts {
    let finds = Finds::default();
    let counts = run(&options(150, precise), &compile, &Block::default(), &finds);
    if let Some(found) = finds.0.into_inner().first() {
        panic!("shader {}: {}\n{}", found.index, found.finding, found.source);
    }
    counts
}

#[test]
fn shaders_compiled_exactly_have_the_bits_of_the_evaluator() {
    let counts = agree(true);
    assert!(counts.tally.compiled > 140, "{}", counts.text());
    let [straight, kept] = counts.tally.loops;
    assert!(straight > 20 && kept > straight, "{}", counts.text());
    assert_eq!(counts.tally.open + counts.tally.doubtful, 0, "{}", counts.text());
    let [proved, undecided] = counts.tally.proved;
    assert!(proved > undecided, "{}", counts.text());
}

#[test]
fn shaders_compiled_with_all_rules_are_within_the_bounds() {
    let counts = agree(false);
    assert!(counts.tally.compiled > 140, "{}", counts.text());
    assert!(counts.tally.compared > counts.tally.open, "{}", counts.text());
}

#[test]
fn generated_shaders_read_constants_by_counters() {
    let options = Compiling { flow: Flow::Structured, ..Compiling::default() };
    let relative = |index: &u64| {
        let compiled = compile(&generate(5, *index), &options);
        compiled.is_ok_and(|compiled| disassemble(&compiled.image, Style::Friendly).contains("[aL"))
    };
    let count = (0..300).filter(relative).count();
    assert!(count >= 6, "{count}");
}

/// Compiles another source than that which is evaluated, as a compiler with a mistake would.
fn wrong(from: &str, to: &str, source: &str, options: &Compiling) -> Result<Compiled, TextErrors> {
    let changed = source.replacen(from, to, 1);
    if changed == source {
        let unchanged = Span::default().error("the mistake has no effect");
        return TextErrors::of(source, "shader", |_| Err(vec![unchanged]));
    }
    compile(&changed, options)
}

#[test]
fn a_wrong_compiler_is_found_and_the_finding_reduced() {
    let engine = Block::default();
    for (from, to) in [
        ("floor(", "ceil("),
        (" - ", " + "),
        ("min(", "max("),
        ("<=", ">"),
        ("cos(", "sin("),
        ("transpose(", "("),
        ("smoothstep(", "clamp("),
        (".x", ".y"),
        ("if (", "if (!"),
        ("break;", ";"),
        ("continue;", "break;"),
        ("inout ", "in "),
        ("[clamp(", "[0 * clamp("),
    ] {
        let wrong = |source: &str, options: &Compiling| wrong(from, to, source, options);
        for precise in [false, true] {
            let finds = Finds::default();
            let options = options(800, precise);
            run(&options, &wrong, &engine, &finds);
            let found = finds.0.into_inner();
            let found = found.first();
            let found = found
                .unwrap_or_else(|| panic!("`{to}` for `{from}`, precise {precise}: not found"));
            if precise && from.starts_with("floor") {
                let (source, finding) = reduced(found, &options, &wrong, &engine);
                assert!(source.contains(from) && finding.alike(&found.finding));
                assert!(source.len() < found.source.len().max(200) / 2, "{source}");
            }
        }
    }
}

#[test]
fn changed_sources_end_without_a_panic() {
    let sources: Vec<(String, Language)> =
        (0..20).map(|index| (super::generate::generate(9, index), Language::Glsl)).collect();
    let finds = Finds::default();
    let counts = run_mutated(&options(300, false), &sources, &finds);
    if let Some(found) = finds.0.into_inner().first() {
        panic!("source {}: {}\n{}", found.index, found.finding, found.source);
    }
    assert_eq!(counts.total, 300);
}

#[test]
fn shaders_with_mistakes_are_refused_at_their_lines() {
    let finds = Finds::default();
    let counts = run_mistaken(&options(600, false), &compile, &finds);
    if let Some(found) = finds.0.into_inner().first() {
        panic!("shader {}: {}\n{}", found.index, found.finding, found.source);
    }
    assert_eq!((counts.total, counts.mistaken), (600, 600));
}

#[test]
fn a_mistake_that_is_taken_is_found() {
    // A compiler without a rule: it does not see the mistake.
    let lenient = |source: &str, options: &Compiling| {
        compile(&source.replace("float goto = 1.0;", "float wrong = 1.0;"), options)
    };
    let finds = Finds::default();
    run_mistaken(&options(600, false), &lenient, &finds);
    let found = finds.0.into_inner();
    assert!(found.iter().any(|found| found.source.contains("float goto")));
}

#[test]
fn an_optimizer_that_changes_a_result_is_found() {
    let program = |value: &str| {
        let source = format!("uniform int u;\nvoid main() {{ gl_FragColor = vec4({value}); }}\n");
        let compiled = compile(&source, &Compiling { precise: true, ..Compiling::default() });
        Program::new(compiled.expect("a shader").image).expect("a program")
    };
    let [a, same, other] = ["u + u", "2 * u", "u * u"].map(program);
    assert_eq!(check::proved(Flow::Chosen, &a, &same), Ok(true));
    let finding = check::proved(Flow::Chosen, &a, &other).expect_err("a difference");
    let text = finding.to_string();
    assert!(text.contains("without the optimizer") && text.contains("o0"), "{text}");
}

#[test]
fn variables_are_at_their_places() {
    let full = std::env::var_os("CTM_FULL").is_some();
    let mut sum = super::locations::Located::default();
    for index in 0..if full { 5000 } else { 60 } {
        let source = generate(5, index);
        for flow in [Flow::Chosen, Flow::Structured] {
            match super::locations::check(&source, index, flow, &compile) {
                Ok(None) => {}
                Ok(Some(located)) => {
                    sum.components += located.components;
                    sum.located += located.located;
                    sum.compared += located.compared;
                }
                Err(wrong) => panic!("shader {index}, {flow:?}: {wrong}\n{source}"),
            }
        }
    }
    assert!(sum.located * 10 > sum.components * 3 && sum.compared > 100_000, "{sum:?}");
}
