//! Nothing that is read makes the assembler panic, hang, or lose bits.

use ctm_lang::asm::{Style, TextErrors, assemble, disassemble};
use ctm_lang::program::{ConstantKind, Image, Literal, NamedSlot, UserConstant};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::Cell;

fn runner(cases: u32, seed: u64) -> TestRunner {
    println!("{cases} cases, seed {seed:#x}");
    TestRunner::new(ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    })
}

/// Assembles, and renders the errors: they must not panic either. True if it is a program.
fn survives(source: &str) -> bool {
    match assemble(source, "fuzz") {
        Ok(image) => {
            assert!(!image.words.is_empty() && image.words.len() <= 512);
            true
        }
        Err(errors) => {
            assert!(!errors.errors().is_empty() && errors.errors().len() <= TextErrors::LIMIT);
            assert!(errors.errors().iter().all(|error| error.line > 0 && error.column > 0));
            assert!(!errors.render(true).is_empty() && !errors.to_string().is_empty());
            false
        }
    }
}

/// The sources of the language's documentation.
fn examples() -> Vec<String> {
    let document = include_str!("../../../../docs/assembly.md");
    let mut examples = Vec::new();
    for part in document.split("```asm\n").skip(1) {
        examples.push(part.split("```").next().unwrap_or("").to_string());
    }
    assert!(examples.len() > 20);
    examples
}

#[test]
fn random_bytes_and_random_text_never_panic() {
    const CASES: u32 = 3000;
    let text = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..300)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        "[ -~\n]{0,300}",
        "([a-z0-9.,@&|()+*/=<>!:{}\\[\\]-]{1,6} ?\n?){0,60}",
    ];
    let good = Cell::new(0);
    runner(CASES, 0xa53b)
        .run(&text, |text| {
            good.set(good.get() + u32::from(survives(&text)));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    // Hardly ever one: what random text meets is the lexer.
    println!("{CASES} random sources, {} programs among them", good.get());
}

#[test]
fn words_of_the_language_in_any_order_never_panic() {
    const CASES: u32 = 4000;
    let examples = examples();
    let mut words: Vec<String> = examples
        .iter()
        .flat_map(|source| source.split_inclusive([' ', '\n']))
        .map(str::to_string)
        .collect();
    words.extend(["\n", "(", "-", "|", "& ", ", "].map(str::to_string));
    let source =
        proptest::collection::vec(any::<prop::sample::Index>(), 0..80).prop_map(move |picks| {
            picks.iter().map(|pick| pick.get(&words).as_str()).collect::<String>()
        });
    let good = Cell::new(0);
    runner(CASES, 0x0a5)
        .run(&source, |source| {
            good.set(good.get() + u32::from(survives(&source)));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{CASES} shuffled sources, {} programs among them", good.get());
    assert!(good.get() > 0);
}

#[test]
fn changed_examples_never_panic() {
    const CASES: u32 = 6000;
    let examples = examples();
    let change = (
        any::<prop::sample::Index>(),
        proptest::collection::vec(
            (any::<prop::sample::Index>(), 0..4u8, any::<char>(), any::<prop::sample::Index>()),
            1..5,
        ),
    );
    let good = Cell::new(0);
    runner(CASES, 0xc4a9)
        .run(&change, |(which, changes)| {
            let mut source: Vec<char> = which.get(&examples).chars().collect();
            for (at, kind, letter, other) in changes {
                let at = at.index(source.len().max(1)).min(source.len().saturating_sub(1));
                let other = other.index(source.len().max(1)).min(source.len().saturating_sub(1));
                match kind {
                    0 => source.insert(at, letter),
                    1 if !source.is_empty() => drop(source.remove(at)),
                    2 if !source.is_empty() => source.swap(at, other),
                    _ if !source.is_empty() => source[at] = source[other],
                    _ => {}
                }
            }
            let source: String = source.into_iter().collect();
            good.set(good.get() + u32::from(survives(&source)));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{CASES} changed examples, {} programs among them", good.get());
    assert!(good.get() > CASES / 20);
}

#[test]
fn large_and_deep_sources_end_in_an_error() {
    let error = |source: &str| {
        let errors = assemble(source, "big").expect_err("too much");
        assert!(errors.to_string().len() < 100_000);
        errors.errors()[0].message.clone()
    };
    assert_eq!(
        error(&"(".repeat(100_000)),
        "expected a predicate: p, p.r, p.g, p.b or p.a, found `(`"
    );
    assert_eq!(
        error(&format!("mov r0, {}", "(".repeat(100_000))),
        "parentheses nest deeper than 16"
    );
    assert_eq!(
        error(&format!("mov r0, {}r1", "-".repeat(100_000))),
        "expected an operand, found `-`"
    );
    assert_eq!(error(&format!("if {}b0", "(".repeat(100_000))), "parentheses nest deeper than 16");
    assert_eq!(error(&"if b0\n".repeat(10_000)), "blocks nest deeper than 31");
    assert_eq!(error(&"mov r0, r1\n".repeat(10_000)), "a program has at most 512 instructions");
    assert_eq!(error(&"\u{20ac}\n".repeat(10_000)), "the character '€' has no meaning here");
    assert_eq!(error(&"\n".repeat(1 << 20)), "the source has no instructions");
    assert_eq!(
        error(&" ".repeat((1 << 20) + 1)),
        "the source has 1048577 bytes; at most 1048576 are possible"
    );
    assert_eq!(
        error(&format!("mov r0, r1 {}", "@wait ".repeat(100_000))),
        "the program's last instruction is not an output"
    );
    assert_eq!(error(&format!("{}end", "l: ".repeat(100_000))), "the label `l` is defined twice");
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_][a-z0-9_]{0,8}",
        Just("r0".to_string()),
        "[ -~]{0,5}",
        Just("inf".to_string())
    ]
}

prop_compose! {
    /// Images as containers and listings give them; names may be anything.
    fn images()(
        words in proptest::collection::vec(any::<[u32; 6]>(), 1..20),
        registers in any::<[u32; 7]>(),
        flags in any::<[bool; 8]>(),
        lists in any::<[Option<[u8; 5]>; 4]>(),
        names in proptest::collection::vec((name(), 0..3u8, 0..32u32), 0..4),
        literals in proptest::collection::vec((0..3u8, 0..32u32, any::<[u32; 4]>()), 0..6),
    ) -> Image {
        let mut image = Image::from_words(words);
        let r = &mut image.registers;
        if flags[0] {
            (r.us_config, r.us_pixsize, r.us_fc_ctrl, r.us_code_addr) = (registers[0], registers[1], registers[2], registers[3]);
            (r.us_code_range, r.us_code_offset, r.us_w_fmt) = (registers[4], registers[5] & 0x1ff, registers[6]);
        }
        image.umrt = flags[1];
        image.fg_depth_src = registers[0] & registers[1];
        let list = |n: usize| lists[n].map(|list| list.map(u32::from).to_vec());
        (image.inputs, image.outputs, image.float_constants, image.int_constants) = (list(0), list(1), list(2), list(3));
        image.conditional_output = flags[2].then_some(flags[3]);
        image.early_exit = flags[4].then_some(flags[5]);
        let kind = |n: u8| [ConstantKind::Float, ConstantKind::Int, ConstantKind::Bool][n as usize];
        for (name, what, n) in names {
            image.user_constants.push(UserConstant { name: name.clone(), kind: kind(what), addr: n });
            image.input_names.push(NamedSlot { name: format!("{name}_in"), slot: n });
            image.output_names.push(NamedSlot { name: format!("{name}_out"), slot: n });
        }
        for (what, addr, value) in literals {
            let value = match kind(what) {
                ConstantKind::Float => value,
                ConstantKind::Int => [value[0] & 255, value[1] & 255, value[2] as u8 as i8 as i32 as u32, 0],
                ConstantKind::Bool => [value[0] & 1, 0, 0, 0],
            };
            let kind = kind(what);
            if !image.literals.iter().any(|other| (other.kind, other.addr) == (kind, addr)) {
                image.literals.push(Literal { kind, addr, value });
            }
        }
        image
    }
}

#[test]
fn any_image_survives_disassembly_but_for_names_that_cannot_be_written() {
    const CASES: u32 = 1500;
    runner(CASES, 0x1d1)
        .run(&images(), |image| {
            for style in [Style::Explicit, Style::Friendly] {
                let text = disassemble(&image, style);
                let mut again = match assemble(&text, "image") {
                    Ok(again) => again,
                    Err(errors) => return Err(TestCaseError::fail(format!("{text}\n{errors}"))),
                };
                let mut want = image.clone();
                // Names: those that were written are in order; the rest became comments.
                let names = |image: &mut Image| {
                    let mut list: Vec<(String, u32)> = Vec::new();
                    list.extend(image.input_names.drain(..).map(|slot| (slot.name, slot.slot)));
                    list.extend(image.output_names.drain(..).map(|slot| (slot.name, slot.slot)));
                    list.extend(
                        image
                            .user_constants
                            .drain(..)
                            .map(|constant| (constant.name, constant.addr)),
                    );
                    list
                };
                let (have, given) = (names(&mut again), names(&mut want));
                let mut rest = given.iter();
                prop_assert!(have.iter().all(|name| rest.any(|other| other == name)));
                prop_assert_eq!(&again, &want);
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
