//! Bytes of executables.

mod errors;
mod random;
mod source;

use super::*;
use crate::program::{ConstantKind, Literal, NamedSlot, Sharing, UserConstant};

/// Two instructions: MAD into r1, and OUT with TEX_SEM_WAIT.
fn image() -> Image {
    let mut image = Image::from_words(vec![
        [0x0000_7800, 0x0802_0000, 0x0802_0000, 0x00db_0220, 0x00c0_c010, 0x2049_0010],
        [0x0007_8005, 0x0802_0001, 0x0802_0001, 0x00db_0220, 0x00c0_c000, 0x2049_0000],
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
        UserConstant { name: "gain".into(), kind: ConstantKind::Float, addr: 4 },
        UserConstant { name: "größe".into(), kind: ConstantKind::Int, addr: 31 },
    ];
    image.literals = vec![Literal { kind: ConstantKind::Bool, addr: 5, value: [1, 0, 0, 0] }];
    image.input_names = vec![NamedSlot { name: "field".into(), slot: 3 }];
    image.output_names = vec![NamedSlot { name: String::new(), slot: 0 }];
    image
}

/// The file of `image()`, byte for byte. The other tests modify it.
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
    // The section headers are zeroed, then unreferenced, then removed.
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
        // The rest of the description becomes a note with an unknown name.
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
    assert_eq!(read(&file).expect("valid").registers, Registers::default_for(2));
}

/// The warnings of `image()` with some words of its program information changed.
fn warnings(patches: &[(usize, u32)]) -> (Registers, Vec<String>) {
    let mut file = write(&image());
    for &(n, word) in patches {
        put(&mut file, 0xb8 + 4 * n, word);
    }
    let image = read(&file).expect("valid");
    let texts = image.warnings.iter().map(|warning| warning.to_string());
    let texts: Vec<String> = texts.collect();
    // The program includes the warnings of its image.
    let program = crate::program::Program::new(image.clone()).expect("valid");
    let of_program = program.warnings()[..texts.len()].iter();
    assert!(of_program.map(|warning| warning.to_string()).eq(texts.iter().cloned()));
    (image.registers, texts)
}

#[test]
fn code_registers_that_are_both_0_are_not_given() {
    let (registers, found) = warnings(&[(5, 0), (6, 0)]);
    assert_eq!(registers, Registers::default_for(2));
    assert_eq!(
        found,
        [
            "US_CODE_ADDR and US_CODE_RANGE at offset 0xcc are both 0, taken as not given: the program ends with its last instruction"
        ]
    );
    // Addresses are relative to the offset; the program still ends with its last instruction.
    let (registers, _) = warnings(&[(5, 0), (6, 0), (7, 1)]);
    assert_eq!((registers.start(), registers.end()), (1, 1));
    // If only one register is 0, it counts as given.
    let (registers, found) = warnings(&[(5, 0)]);
    assert_eq!((registers.us_code_addr, found), (0, Vec::new()));
    // In a program of one instruction, 0 is the correct value.
    let one = Image::from_words(vec![image().words[1]]);
    let read_back = read(&write(&one)).expect("valid");
    assert_eq!((read_back.registers.us_code_addr, read_back.warnings), (0, Vec::new()));
}

#[test]
fn unknown_parts_of_the_program_information_are_told() {
    let (_, found) = warnings(&[(9, 0x8000_0005), (10, 3), (11, 1), (15, 0xdead)]);
    assert_eq!(
        found,
        [
            "the flags at offset 0xdc of the program information are 0x80000005, expected 0 to 3: the other bits are unknown and have no effect",
            "word 10 of the program information at offset 0xe0 is 0x3, expected 0: it has no effect",
            "word 11 of the program information at offset 0xe4 is 0x1, expected 0: it has no effect",
            "word 15 of the program information at offset 0xf4 is 0xdead, expected 0: it has no effect",
        ]
    );
}

#[test]
fn data_sharing_is_read() {
    let sharing = |patches: &[(usize, u32)]| {
        let mut file = write(&image());
        for &(word, value) in patches {
            put(&mut file, 0xb8 + 4 * word, value);
        }
        read(&file).expect("valid").sharing
    };
    assert_eq!(sharing(&[]), None);
    assert_eq!(sharing(&[(9, 2)]), Some(Sharing(0)));
    assert_eq!(sharing(&[(9, 3), (10, 0x2000_0104)]), Some(Sharing(0x2000_0104)));
}

fn put(file: &mut [u8], at: usize, word: u32) {
    file[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

/// Header tables of the maximum length, all entries alike.
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
