//! Every kind of malformed file, with its exact message.

use super::*;

/// Checks the error message for the file of `image` with some words changed.
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
    check(4, 0x6201_0102, "EI_CLASS at offset 0x4 is 2, expected 1 (ELFCLASS32)");
    check(4, 0x6201_0201, "EI_DATA at offset 0x5 is 2, expected 1 (little endian)");
    check(4, 0x6200_0101, "EI_VERSION at offset 0x6 is 0, expected 1");
    check(4, 0x6301_0101, "EI_OSABI at offset 0x7 is 99, expected 98 (ELFOSABI_ATI)");
    check(8, 2, "EI_ABIVERSION at offset 0x8 is 2, expected 1");
    check(0x10, 0x007a_0001, "e_type at offset 0x10 is 1, expected 2 (ET_EXEC)");
    check(0x10, 0x003e_0002, "e_machine at offset 0x12 is 62, expected 122 (EM_ATI_R5XX)");
    check(0x14, 0, "e_version at offset 0x14 is 0, expected 1");
    check(0x18, 0x74, "e_entry at offset 0x18 is 0x74, expected 0");
    check(0x24, 3, "e_flags at offset 0x24 is 0x3, expected 0x1 (EF_ATI_DPP)");
    check(0x28, 0x0020_0040, "e_ehsize at offset 0x28 is 64, expected 52");
    check(0x28, 0x0038_0034, "e_phentsize at offset 0x2a is 56, expected 32");
    check(0x2c, 0x0028_0000, "e_phnum at offset 0x2c is 0, expected at least 1 program header");
    check(0x2c, 0x0040_0002, "e_shentsize at offset 0x2e is 64, expected 40");
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
    super::errors::check(
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
    check(0x44, 0, "p_filesz of .text at offset 0x44 is 0, expected at least 24, one instruction");
    check(
        0x44,
        47,
        "p_filesz of .text at offset 0x44 is 47, expected a multiple of 24, the size of an instruction",
    );
    let mut long = image();
    long.words = vec![[0; 6]; 513];
    super::errors::check(
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
    // Real CAL files also differ in the header.
    super::errors::check(&image(), &[(0x10, 0x007d_0002), (0xb4, cal)], &cal_message("0xa4"));
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
    check(0xa4, 7, "namesz of the note at offset 0xa4 is 7, expected 8 for the name \"ATI DPP\"");
    check(
        0xa8,
        3,
        "descsz of the program information note at offset 0xa4 is 3, expected a multiple of 4, at least 4",
    );
    check(0xfc, 7, "descsz of the inputs note at offset 0xf8 is 7, expected a multiple of 4");
    super::errors::check(
        &image(),
        &[(0xfc, 8), (0x100, 7)],
        "descsz of the early program exit note at offset 0xf8 is 8, expected 4",
    );
    check(0x11c, 2, "the inputs note at offset 0x114 is the second one, expected at most one");
    check(
        0x100,
        1,
        "the program information note at offset 0xf8 is the second one, expected at most one",
    );
    super::errors::check(
        &image(),
        &[(0x11c, 4), (0x128, 2)],
        "the conditional output note at offset 0x128 holds 2, expected 0 or 1",
    );
    check(
        0xac,
        8,
        "none of the 3 notes holds program information, expected one named \"ATI DPP\" of type 1",
    );
    check(0xb8, 2, "word 0 of the program information at offset 0xb8 is 0x2, expected 0x1");
}

#[test]
fn errors_of_our_own_notes() {
    let mut image = image();
    image.user_constants =
        vec![UserConstant { name: "gain".into(), kind: ConstantKind::Float, addr: 4 }];
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
    check(0, 8, "namesz of the note at offset 0x14c is 8, expected 7 for the name \"DPPEMU\"");
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
