//! Programs that are refused, programs with warnings, and the uses of programs.

mod refused;
mod uses;
mod warned;

use super::*;
use ctm_isa::isa::table::*;
use ctm_isa::isa::{self, AluOp, FcOp, Field, FieldValue, Type, Usage};

/// Fields of one instruction; fields not given are 0.
type Given<'a> = &'a [(Field, u32)];

fn words(class: Type, given: Given) -> [u32; 6] {
    let mut words = [0; 6];
    for &(field, value) in [(cmn_inst::TYPE, class.code())].iter().chain(given) {
        let word = &mut words[field.word.index()];
        *word = field.set(*word, value);
    }
    words
}

/// An image of these instructions, followed by a valid last one.
fn image(instructions: &[[u32; 6]]) -> Image {
    let mut words_ = instructions.to_vec();
    words_.push(words(Type::Out, &[(cmn_inst::TEX_SEM_WAIT, 1)]));
    Image::from_words(words_)
}

fn program(class: Type, given: Given) -> Result<Program, VerifyErrors> {
    Program::new(image(&[words(class, given)]))
}

/// A valid program with exactly these warnings.
#[track_caller]
fn warned(class: Type, given: Given, messages: &[&str]) {
    let program = program(class, given).unwrap_or_else(|errors| panic!("{errors}"));
    let warnings: Vec<String> = program.warnings().iter().map(|w| w.to_string()).collect();
    assert_eq!(warnings, messages);
}

const RGB: (Field, u32) = (cmn_inst::RGB_WMASK, 7);
const ALPHA: (Field, u32) = (cmn_inst::ALPHA_WMASK, 1);

/// Random words neither panic nor pass with a reserved code where it matters.
#[test]
fn verifier_and_uses_take_any_words() {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    const CASES: u32 = 4096;
    let valid = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(ctm_testing::cases(CASES, 0x7e51));
    let input = (
        proptest::collection::vec(any::<[u32; 6]>(), 0..4),
        any::<[u32; 7]>(),
        any::<bool>(),
        any::<bool>(),
    );
    runner
        .run(&input, |(words, registers, random, umrt)| {
            let mut image = image(&words);
            image.umrt = umrt;
            if random {
                let [config, pix, fc, addr, range, offset, w] = registers;
                image.registers = Registers {
                    us_config: config,
                    us_pixsize: pix,
                    us_fc_ctrl: fc,
                    us_code_addr: addr,
                    us_code_range: range,
                    us_code_offset: offset,
                    us_w_fmt: w,
                };
            }
            let uses = Uses::of_image(&image);
            match Program::new(image.clone()) {
                Ok(program) => {
                    valid.set(valid.get() + 1);
                    prop_assert_eq!(program.uses(), &uses);
                    prop_assert_eq!(program.image(), &image);
                    // An accepted program has no reserved code in a unit that has an effect.
                    for (pc, instruction) in program.instructions().iter().enumerate() {
                        let Some(usage) = Usage::of(instruction) else {
                            continue;
                        };
                        for (field, value) in fields(&image.words[pc]) {
                            let matters = match field.name {
                                "RGB_OP" | "RGB_PRED_SEL" => usage.units[isa::RGB],
                                "ALPHA_OP" | "ALPHA_PRED_SEL" => usage.units[isa::ALPHA],
                                _ => false,
                            };
                            prop_assert!(!matters || field.value(value).is_some());
                        }
                    }
                }
                Err(errors) => prop_assert!(!errors.errors.is_empty()),
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{CASES} random programs, {} of them valid", valid.get());
    assert!(valid.get() > CASES / 16);
}
