//! Bytes of executables, and every way of being malformed with its exact message.

use super::*;
use crate::program::{ConstantKind, Literal, NamedSlot, UserConstant};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Two instructions: MAD into r1, and OUT with TEX_SEM_WAIT.
fn image() -> Image {
    let mut image = Image::from_words(vec![
        [
            0x0000_7800,
            0x0802_0000,
            0x0802_0000,
            0x00db_0220,
            0x00c0_c010,
            0x2049_0010,
        ],
        [
            0x0007_8005,
            0x0802_0001,
            0x0802_0001,
            0x00db_0220,
            0x00c0_c000,
            0x2049_0000,
        ],
    ]);
    image.inputs = Some(vec![0, 3]);
    image.outputs = Some(vec![0]);
    image
}

fn full_image() -> Image {
    let mut image = image();
    image.fg_depth_src = 7;
    image.umrt = true;
    image.registers.us_config = 2;
    image.registers.us_w_fmt = 4;
    image.conditional_output = Some(true);
    image.float_constants = Some(vec![0, 255]);
    image.int_constants = Some(vec![]);
    image.early_exit = Some(false);
    image.user_constants = vec![
        UserConstant {
            name: "gain".into(),
            kind: ConstantKind::Float,
            addr: 4,
        },
        UserConstant {
            name: "größe".into(),
            kind: ConstantKind::Int,
            addr: 31,
        },
    ];
    image.literals = vec![Literal {
        kind: ConstantKind::Bool,
        addr: 5,
        value: [1, 0, 0, 0],
    }];
    image.input_names = vec![NamedSlot {
        name: "field".into(),
        slot: 3,
    }];
    image.output_names = vec![NamedSlot {
        name: String::new(),
        slot: 0,
    }];
    image
}

/// The file of `image()`, byte for byte: what the other tests change a little.
#[test]
fn golden_bytes() {
    let expected: Vec<u8> = [
        // ELF header.
        "7f454c46 01010162 01000000 00000000",
        "0200 7a00 01000000 00000000 34000000 44010000 01000000",
        "3400 2000 0200 2800 0400 0300",
        // PT_LOAD and PT_NOTE.
        "01000000 74000000 00000000 00000000 30000000 30000000 05000000 04000000",
        "04000000 a4000000 00000000 00000000 88000000 00000000 04000000 04000000",
        // .text
        "00780000 00000208 00000208 2002db00 10c0c000 10004920",
        "05800700 01000208 01000208 2002db00 00c0c000 00004920",
        // Program information.
        "08000000 40000000 01000000 4154492044505000",
        "01000000 00000000 00000000 7f000000 00000080 00000100 00000100 00000000",
        "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
        // Inputs 0 and 3, output 0.
        "08000000 08000000 02000000 4154492044505000 00000000 03000000",
        "08000000 04000000 03000000 4154492044505000 00000000",
        // Section names.
        "00 2e7465787400 2e6e6f746500 2e736873747274616200 00",
        // Section headers.
        "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
        "01000000 01000000 06000000 00000000 74000000 30000000 00000000 00000000 04000000 00000000",
        "07000000 07000000 00000000 00000000 a4000000 88000000 00000000 00000000 04000000 00000000",
        "0d000000 03000000 00000000 00000000 2c010000 17000000 00000000 00000000 01000000 00000000",
    ]
    .iter()
    .flat_map(|line| {
        let digits: String = line.split_whitespace().collect();
        (0..digits.len() / 2)
            .map(|n| u8::from_str_radix(&digits[2 * n..2 * n + 2], 16).expect("hexadecimal"))
            .collect::<Vec<u8>>()
    })
    .collect();
    let written = write(&image());
    assert_eq!(written, expected);
}

#[test]
fn reading_gives_back_what_was_written() {
    for image in [image(), full_image()] {
        assert_eq!(read(&write(&image)), Ok(image));
    }
}

#[test]
fn program_headers_alone_are_enough() {
    let image = full_image();
    let file = write(&image);
    let start = word(&file, 0x20) as usize;
    // The headers zeroed, then gone, then not mentioned either.
    let mut zeroed = file.clone();
    zeroed[start..].fill(0);
    assert_eq!(read(&zeroed), Ok(image.clone()));
    let mut gone = file.clone();
    gone[0x20..0x24].fill(0);
    gone[0x2e..0x34].fill(0);
    assert_eq!(read(&gone), Ok(image.clone()));
    let names = length(&gone).expect("a length");
    assert!(names < start);
    gone.truncate(names);
    assert_eq!(read(&gone), Ok(image));
}

#[test]
fn notes_that_only_section_headers_know_are_read() {
    let mut file = write(&image());
    // Segment 1 becomes PT_NULL.
    file[0x54] = 0;
    assert_eq!(read(&file), Ok(image()));
}

#[test]
fn length_comes_from_the_headers() {
    let file = write(&full_image());
    let mut memory = file.clone();
    memory.extend([0xa5; 4096]);
    assert_eq!(length(&memory), Ok(file.len()));
    assert_eq!(length(&file), Ok(file.len()));
    for end in 0..file.len() {
        assert!(length(&file[..end]).is_err(), "{end}");
    }
}

#[test]
fn program_information_may_be_short() {
    let mut file = write(&image());
    let patch = |file: &mut Vec<u8>, words: u32| {
        // The rest of the description becomes a note of nobody's.
        put(file, 0xa8, 4 * words);
        let at = 0xb8 + 4 * words as usize;
        if words < 13 {
            put(file, at, 0);
            put(file, at + 4, 4 * (13 - words));
        }
    };
    put(&mut file, 0xc0, 2);
    put(&mut file, 0xdc, 1);
    patch(&mut file, 13);
    let read_back = read(&file).expect("valid");
    assert_eq!((read_back.registers.us_config, read_back.umrt), (2, true));
    patch(&mut file, 9);
    assert!(!read(&file).expect("valid").umrt);
    put(&mut file, 0xc8, 5);
    patch(&mut file, 5);
    let registers = read(&file).expect("valid").registers;
    assert_eq!((registers.us_config, registers.us_fc_ctrl), (2, 5));
    assert_eq!(registers.us_code_addr, 1 << 16);
    assert_eq!(registers.us_code_range, 1 << 16);
    patch(&mut file, 1);
    assert_eq!(
        read(&file).expect("valid").registers,
        Registers::default_for(2)
    );
}

fn put(file: &mut [u8], at: usize, word: u32) {
    file[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// The message of reading the file of `image` with some words changed.
#[track_caller]
fn check(image: &Image, patches: &[(usize, u32)], message: &str) {
    let mut file = write(image);
    for &(at, word) in patches {
        put(&mut file, at, word);
    }
    let error = read(&file).expect_err("malformed");
    assert_eq!(error.to_string(), message);
}

#[test]
fn header_errors() {
    let check = |at, word, message: &str| check(&image(), &[(at, word)], message);
    assert_eq!(
        read(b"").expect_err("empty").to_string(),
        "the first bytes at offset 0x0 are [], expected [7f, 45, 4c, 46] (an ELF file)"
    );
    assert_eq!(
        read(b"# comment").expect_err("text").to_string(),
        "the first bytes at offset 0x0 are [23, 20, 63, 6f], expected [7f, 45, 4c, 46] (an ELF file)"
    );
    assert_eq!(
        read(&write(&image())[..51]).expect_err("short").to_string(),
        "truncated: the ELF header at offset 0x0 needs 52 bytes, the file has 51"
    );
    check(
        4,
        0x6201_0102,
        "EI_CLASS at offset 0x4 is 2, expected 1 (ELFCLASS32)",
    );
    check(
        4,
        0x6201_0201,
        "EI_DATA at offset 0x5 is 2, expected 1 (little endian)",
    );
    check(4, 0x6200_0101, "EI_VERSION at offset 0x6 is 0, expected 1");
    check(
        4,
        0x6301_0101,
        "EI_OSABI at offset 0x7 is 99, expected 98 (ELFOSABI_ATI)",
    );
    check(8, 2, "EI_ABIVERSION at offset 0x8 is 2, expected 1");
    check(
        0x10,
        0x007a_0001,
        "e_type at offset 0x10 is 1, expected 2 (ET_EXEC)",
    );
    check(
        0x10,
        0x003e_0002,
        "e_machine at offset 0x12 is 62, expected 122 (EM_ATI_R5XX)",
    );
    check(0x14, 0, "e_version at offset 0x14 is 0, expected 1");
    check(0x18, 0x74, "e_entry at offset 0x18 is 0x74, expected 0");
    check(
        0x24,
        3,
        "e_flags at offset 0x24 is 0x3, expected 0x1 (EF_ATI_DPP)",
    );
    check(
        0x28,
        0x0020_0040,
        "e_ehsize at offset 0x28 is 64, expected 52",
    );
    check(
        0x28,
        0x0038_0034,
        "e_phentsize at offset 0x2a is 56, expected 32",
    );
    check(
        0x2c,
        0x0028_0000,
        "e_phnum at offset 0x2c is 0, expected at least 1 program header",
    );
    check(
        0x2c,
        0x0040_0002,
        "e_shentsize at offset 0x2e is 64, expected 40",
    );
}

#[test]
fn errors_of_place() {
    let check = |at, word, message: &str| check(&image(), &[(at, word)], message);
    check(
        0x1c,
        0xffff_fff0,
        "e_phoff at offset 0x1c is 0xfffffff0: with it the program header table of 64 bytes ends at 0x100000030, expected at most 0x1e4, the end of the file",
    );
    check(
        0x2c,
        0x0028_ffff,
        "e_phoff at offset 0x1c is 0x34: with it the program header table of 2097120 bytes ends at 0x200014, expected at most 0x1e4, the end of the file",
    );
    check(
        0x20,
        0x145,
        "e_shoff at offset 0x20 is 0x145: with it the section header table of 160 bytes ends at 0x1e5, expected at most 0x1e4, the end of the file",
    );
    check(
        0x38,
        0x1b5,
        "p_offset at offset 0x38 is 0x1b5: with it segment 0 of 48 bytes ends at 0x1e5, expected at most 0x1e4, the end of the file",
    );
    check(
        0x64,
        0xffff_ffff,
        "p_offset at offset 0x58 is 0xa4: with it segment 1 of 4294967295 bytes ends at 0x1000000a3, expected at most 0x1e4, the end of the file",
    );
    check(
        0x144 + 40 + 20,
        0x171,
        "sh_offset at offset 0x17c is 0x74: with it section 1 of 369 bytes ends at 0x1e5, expected at most 0x1e4, the end of the file",
    );
    check(
        0x1c,
        0x33,
        "e_phoff at offset 0x1c is 0x33: with it the program header table overlaps the ELF header, which ends at 0x34; expected parts that do not overlap",
    );
    check(
        0x38,
        0x73,
        "p_offset at offset 0x38 is 0x73: with it segment 0 overlaps the program header table, which ends at 0x74; expected parts that do not overlap",
    );
    check(
        0x58,
        0xa3,
        "p_offset at offset 0x58 is 0xa3: with it segment 1 overlaps segment 0, which ends at 0xa4; expected parts that do not overlap",
    );
    // One section header over words that make it SHT_NULL.
    super::tests::check(
        &image(),
        &[(0x20, 0xd8), (0x30, 1)],
        "e_shoff at offset 0x20 is 0xd8: with it the section header table overlaps segment 1, which ends at 0x12c; expected parts that do not overlap",
    );
}

#[test]
fn errors_of_text() {
    let check = |at, word, message: &str| check(&image(), &[(at, word)], message);
    check(
        0x34,
        0,
        "none of the 2 program headers at offset 0x34 is of type 1 (PT_LOAD), expected one, of .text",
    );
    check(
        0x54,
        1,
        "p_type at offset 0x54 is 1 (PT_LOAD) for the second time, expected one such program header, of .text",
    );
    check(
        0x44,
        0,
        "p_filesz of .text at offset 0x44 is 0, expected at least 24, one instruction",
    );
    check(
        0x44,
        47,
        "p_filesz of .text at offset 0x44 is 47, expected a multiple of 24, the size of an instruction",
    );
    let mut long = image();
    long.words = vec![[0; 6]; 513];
    super::tests::check(
        &long,
        &[],
        "p_filesz of .text at offset 0x44 is 12312, expected at most 12288, 512 instructions",
    );
    check(
        0xd0,
        0x0001_0001,
        "US_CODE_RANGE at offset 0xd0 is 0x00010001, slots 1 to 2, expected slots inside .text, 0 to 1",
    );
    check(
        0xcc,
        0x0002_0000,
        "US_CODE_ADDR at offset 0xcc is 0x00020000, with the code offset from slot 0 to slot 2, expected slots inside .text, 0 to 1",
    );
    check(
        0xd4,
        1,
        "US_CODE_ADDR at offset 0xcc is 0x00010000, with the code offset from slot 1 to slot 2, expected slots inside .text, 0 to 1",
    );
}

#[test]
fn errors_of_notes() {
    let check = |at, word, message: &str| check(&image(), &[(at, word)], message);
    // "ATI CAL\0" in place of "ATI DPP\0".
    let cal = u32::from_le_bytes(*b"CAL\0");
    let cal_message = |offset| {
        format!(
            "the note at offset {offset} is named \"ATI CAL\", expected \"ATI DPP\": this is an executable for CAL, the successor of CTM, not a CTM program"
        )
    };
    check(0xb4, cal, &cal_message("0xa4"));
    // Real ones differ in the header, too.
    super::tests::check(
        &image(),
        &[(0x10, 0x007d_0002), (0xb4, cal)],
        &cal_message("0xa4"),
    );
    check(
        0x64,
        0x84,
        "descsz of the note at offset 0x114 is 4, expected at most 0, what its segment has left",
    );
    check(
        0x64,
        0x7b,
        "truncated: the note header at offset 0x114 needs 12 bytes, its segment has 11 left",
    );
    check(
        0xa4,
        0x7d,
        "namesz of the note at offset 0xa4 is 125, expected at most 124, what its segment has left",
    );
    check(
        0xa8,
        0x75,
        "descsz of the note at offset 0xa4 is 117, expected at most 116, what its segment has left",
    );
    check(
        0xa4,
        7,
        "namesz of the note at offset 0xa4 is 7, expected 8 for the name \"ATI DPP\"",
    );
    check(
        0xa8,
        3,
        "descsz of the program information note at offset 0xa4 is 3, expected a multiple of 4, at least 4",
    );
    check(
        0xfc,
        7,
        "descsz of the inputs note at offset 0xf8 is 7, expected a multiple of 4",
    );
    super::tests::check(
        &image(),
        &[(0xfc, 8), (0x100, 7)],
        "descsz of the early program exit note at offset 0xf8 is 8, expected 4",
    );
    check(
        0x11c,
        2,
        "the inputs note at offset 0x114 is the second one, expected at most one",
    );
    check(
        0x100,
        1,
        "the program information note at offset 0xf8 is the second one, expected at most one",
    );
    super::tests::check(
        &image(),
        &[(0x11c, 4), (0x128, 2)],
        "the conditional output note at offset 0x128 holds 2, expected 0 or 1",
    );
    check(
        0xac,
        8,
        "none of the 3 notes holds program information, expected one named \"ATI DPP\" of type 1",
    );
    check(
        0xb8,
        2,
        "word 0 of the program information at offset 0xb8 is 0x2, expected 0x1",
    );
}

#[test]
fn errors_of_our_own_notes() {
    let mut image = image();
    image.user_constants = vec![UserConstant {
        name: "gain".into(),
        kind: ConstantKind::Float,
        addr: 4,
    }];
    // Three segments: everything lies 0x20 further, and our note follows the others.
    let at = 0x12c + 0x20;
    let check = |offset, word, message: &str| check(&image, &[(at + offset, word)], message);
    check(
        0x14,
        3,
        "the kind at offset 0x160 of the user constants note is 3, expected 0 (float), 1 (int) or 2 (bool)",
    );
    check(
        0x1c,
        5,
        "truncated: the entry at offset 0x16c of the user constants note needs 5 bytes, the note has 4 left",
    );
    check(
        0x20,
        0xffff_ffff,
        "the name at offset 0x16c of the user constants note is [255, 255, 255, 255], expected UTF-8 text",
    );
    check(
        0,
        8,
        "namesz of the note at offset 0x14c is 8, expected 7 for the name \"DPPEMU\"",
    );
    let twice = {
        let mut file = write(&image);
        file[0x84] *= 2;
        let note = file[at..at + 0x24].to_vec();
        let end = at + 0x24;
        file.splice(end..end, note);
        file[0x2c + 2..0x34].fill(0);
        file
    };
    assert_eq!(
        read(&twice).expect_err("malformed").to_string(),
        "the user constants note at offset 0x170 is the second one, expected at most one"
    );
}

fn any_image() -> impl Strategy<Value = Image> {
    let name = "[a-zäöü_][a-z0-9_]{0,11}";
    let kind = prop_oneof![
        Just(ConstantKind::Float),
        Just(ConstantKind::Int),
        Just(ConstantKind::Bool)
    ];
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
    let flags = (
        any::<bool>(),
        any::<Option<bool>>(),
        any::<Option<bool>>(),
        any::<[u32; 7]>(),
    );
    (words, lists, flags).prop_map(
        |(
            words,
            (inputs, outputs, floats, ints, input_names, output_names, users, literals),
            (umrt, conditional_output, early_exit, registers),
        )| {
            let slots = words.len() as u32;
            // Code registers inside the program, with random bits where none are looked at.
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
                inputs,
                outputs,
                conditional_output,
                float_constants: floats,
                int_constants: ints,
                early_exit,
                user_constants: users,
                literals,
                input_names,
                output_names,
            }
        },
    )
}

/// Cases of the random tests below.
const CASES: u32 = 512;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: CASES,
        rng_seed: RngSeed::Fixed(0xe1f),
        failure_persistence: None,
        ..Default::default()
    }
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
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 8 * CASES,
        ..config()
    });
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
    println!(
        "{} hostile files, {} of them still good",
        8 * CASES,
        good.get()
    );
    assert!(good.get() > 100, "the changes destroy nearly every file");
    assert!(good.get() < 7 * CASES, "the changes destroy nearly no file");
}

/// Header tables of the greatest length, all entries alike.
#[test]
fn many_headers_take_no_time() {
    let mut file = write(&image());
    let end = file.len();
    let headers = 60_000usize;
    put(&mut file, 0x1c, end as u32);
    put(&mut file, 0x2c, 0x0028_0000 | headers as u32);
    for _ in 0..headers {
        let mut header = [0; 32];
        put(&mut header, 0, 4);
        put(&mut header, 4, 0xa4);
        put(&mut header, 16, 0x88);
        file.extend(header);
    }
    let message = read(&file).expect_err("malformed").to_string();
    assert!(message.starts_with("p_offset at offset 0x"), "{message}");
    assert!(message.contains("overlaps segment"), "{message}");
}
