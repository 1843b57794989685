//! Random images, and hostile files.

use super::*;
use crate::program::Sharing;
use proptest::prelude::*;

fn any_image() -> impl Strategy<Value = Image> {
    let name = "[a-zäöü_][a-z0-9_]{0,11}";
    let kind =
        prop_oneof![Just(ConstantKind::Float), Just(ConstantKind::Int), Just(ConstantKind::Bool)];
    let numbers = || proptest::option::of(proptest::collection::vec(any::<u32>(), 0..20));
    let slots = || {
        proptest::collection::vec(
            (name, any::<u32>()).prop_map(|(name, slot)| NamedSlot { name, slot }),
            0..5,
        )
    };
    let words = prop_oneof![
        proptest::collection::vec(any::<[u32; 6]>(), 1..20),
        proptest::collection::vec(any::<[u32; 6]>(), 500..=512)
    ];
    let lists = (
        numbers(),
        numbers(),
        numbers(),
        numbers(),
        slots(),
        slots(),
        proptest::collection::vec(
            (name, kind.clone(), any::<u32>()).prop_map(|(name, kind, addr)| UserConstant {
                name,
                kind,
                addr,
            }),
            0..5,
        ),
        proptest::collection::vec(
            (kind, any::<u32>(), any::<[u32; 4]>()).prop_map(|(kind, addr, value)| Literal {
                kind,
                addr,
                value,
            }),
            0..5,
        ),
    );
    let flags = (any::<bool>(), any::<Option<bool>>(), any::<Option<bool>>(), any::<[u32; 7]>());
    (words, lists, flags).prop_map(
        |(
            words,
            (inputs, outputs, floats, ints, input_names, output_names, users, literals),
            (umrt, conditional_output, early_exit, registers),
        )| {
            let slots = words.len() as u32;
            // Code registers inside the program, with random bits where they are ignored.
            let code = |first: u32, last: u32, base: u32, noise: u32| {
                let first = first % slots;
                let last = first + last % (slots - first);
                (first - base) | (last - base) << 16 | noise & 0xfe00_fe00
            };
            let offset = registers[5] % slots;
            let start = offset + registers[4] % (slots - offset);
            let window = registers[6] % slots;
            Image {
                registers: Registers {
                    us_config: registers[0],
                    us_pixsize: registers[1],
                    us_fc_ctrl: registers[2],
                    us_code_addr: code(start, registers[3], offset, registers[0]),
                    us_code_range: window | (registers[3] % (slots - window)) << 16,
                    us_code_offset: offset | registers[5] & 0xffff_fe00,
                    us_w_fmt: registers[6],
                },
                words,
                fg_depth_src: registers[4],
                umrt,
                sharing: (registers[1] & 1 != 0).then_some(Sharing(registers[2])),
                inputs,
                outputs,
                conditional_output,
                float_constants: floats,
                interface: None,
                int_constants: ints,
                early_exit,
                user_constants: users,
                literals,
                input_names,
                output_names,
                warnings: Vec::new(),
                source: Default::default(),
            }
        },
    )
}

/// Cases of the random tests below.
const CASES: u32 = 512;

fn config() -> ProptestConfig {
    ctm_testing::cases(CASES, 0xe1f)
}

/// A file with some bytes or words changed, added, or removed.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let interesting = prop_oneof![
        Just(0u32),
        Just(1),
        Just(4),
        Just(0x7fff_ffff),
        Just(0x8000_0000),
        Just(0xffff_fff0),
        Just(0xffff_ffff),
        0u32..0x400,
        any::<u32>()
    ];
    let patches = proptest::collection::vec((any::<prop::sample::Index>(), interesting), 0..6);
    let bytes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let cut = proptest::option::weighted(0.2, any::<prop::sample::Index>());
    (patches, bytes, cut).prop_map(|(patches, bytes, cut)| {
        let mut file = write(&full_image());
        for (index, word) in patches {
            let at = 4 * index.index(file.len() / 4);
            put(&mut file, at, word);
        }
        for (index, byte) in bytes {
            let at = index.index(file.len());
            file[at] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        file
    })
}

#[test]
fn random_images_survive() {
    let mut runner = proptest::test_runner::TestRunner::new(config());
    runner
        .run(&any_image(), |image| {
            let file = write(&image);
            prop_assert_eq!(length(&file), Ok(file.len()));
            prop_assert_eq!(read(&file), Ok(image));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{CASES} random images written and read");
}

#[test]
fn hostile_files_are_refused_in_peace() {
    let mut runner =
        proptest::test_runner::TestRunner::new(ProptestConfig { cases: 8 * CASES, ..config() });
    let good = std::cell::Cell::new(0);
    let input = prop_oneof![
        4 => mutated(),
        1 => proptest::collection::vec(any::<u8>(), 0..400),
        1 => proptest::collection::vec(any::<u8>(), 0..400).prop_map(|tail| {
            let mut file = write(&full_image());
            file.truncate(52);
            file.extend(tail);
            file
        })
    ];
    runner
        .run(&input, |file| {
            let whole = read(&file);
            if let Ok(size) = length(&file) {
                prop_assert!(size <= file.len());
                prop_assert_eq!(&read(&file[..size]), &whole);
            } else {
                prop_assert!(whole.is_err());
            }
            good.set(good.get() + u32::from(whole.is_ok()));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!("{} hostile files, {} of them still good", 8 * CASES, good.get());
    assert!(good.get() > 100, "the changes destroy nearly every file");
    assert!(good.get() < 7 * CASES, "the changes destroy nearly no file");
}
