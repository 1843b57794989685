//! Instructions of real programs: decoded as documented, and back through both levels.
//!
//! The programs under tests/vectors are part of the repository. A larger collection is used where
//! there is one.

use ctm_lang::asm::{Style, assemble, disassemble, explicit, friendly, instruction_json};
use ctm_lang::program::Image;
use ctm_testing::files::{collection, files};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

fn words(list: &Value) -> [u32; 6] {
    let list = list.as_array().expect("a list of words");
    std::array::from_fn(|n| {
        let text = list[n].as_str().expect("a word as text");
        u32::from_str_radix(text.trim_start_matches("0x"), 16).expect("a hexadecimal word")
    })
}

fn assembled(text: &str) -> Image {
    assemble(text, "test").unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

/// Programs survive both levels; says how many instructions, and how many have a friendly form.
fn round_trip(files: &[PathBuf]) -> (usize, usize) {
    let (mut all, mut readable) = (0, 0);
    for file in files {
        let text = fs::read_to_string(file).expect("a listing");
        let image =
            ctm_lang::raw::hex(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for style in [Style::Explicit, Style::Friendly] {
            let again = assembled(&disassemble(&image, style));
            assert_eq!(again, image, "{} {style:?}", file.display());
        }
        all += image.words.len();
        readable += image.words.iter().filter(|words| friendly(words, None).is_some()).count();
    }
    (all, readable)
}

#[test]
fn the_programs_of_the_repository_survive_both_levels() {
    let files = files(&ctm_testing::files::root().join("tests/vectors"), "hex");
    assert!(files.len() > 50);
    let (all, readable) = round_trip(&files);
    println!("{} programs, {all} instructions, {readable} with a friendly form", files.len());
    assert!(readable * 100 > all * 99);
}

#[test]
fn the_programs_of_the_collection_survive_both_levels() {
    let Some(vectors) = collection() else { return };
    let files = files(&vectors, "hex");
    let (all, readable) = round_trip(&files);
    println!("{} programs, {all} instructions, {readable} with a friendly form", files.len());
    assert!(readable * 100 > all * 99);
}

#[test]
fn the_instructions_of_the_collection_have_the_documented_fields() {
    let Some(vectors) = collection() else { return };
    let text = fs::read_to_string(vectors.join("decode.json")).expect("decode.json");
    let entries: Value = serde_json::from_str(&text).expect("JSON");
    let entries = entries.as_array().expect("a list");
    let mut readable = 0;
    for (n, entry) in entries.iter().enumerate() {
        let words = words(&entry["words"]);
        let ours = instruction_json(n, &words, None);
        assert_eq!(ours["words"], entry["words"]);
        assert_eq!(ours["type"], entry["type"], "entry {n}");
        let registers = ours["fields"].as_object().expect("fields");
        let documented = entry["fields"].as_object().expect("fields");
        for name in documented.keys() {
            assert!(registers.contains_key(name), "entry {n}: {name}");
        }
        for (register, fields) in registers {
            for (field, value) in fields.as_object().expect("fields") {
                // Fields that are not given are 0; TYPE has an entry of its own.
                let given = documented.get(register).and_then(|fields| fields.get(field));
                if field != "TYPE" || given.is_some() {
                    let want = given.and_then(Value::as_u64).unwrap_or(0);
                    assert_eq!(value.as_u64(), Some(want), "entry {n}: {register}.{field}");
                }
            }
        }
        for name in documented.iter().flat_map(|(register, fields)| {
            let names = fields.as_object().expect("fields").keys();
            names.map(move |field| (register, field))
        }) {
            assert!(registers[name.0].get(name.1).is_some(), "entry {n}: {}.{}", name.0, name.1);
        }
        assert_eq!(assembled(&explicit(&words)).words, [words], "entry {n}");
        if let Some(text) = friendly(&words, None) {
            assert_eq!(assembled(&format!(".sync manual\n{text}")).words, [words], "{text}");
            readable += 1;
        }
    }
    println!("{} instructions, {readable} with a friendly form", entries.len());
    assert!(readable * 100 > entries.len() * 95);
}

#[test]
fn json_has_every_field_of_every_word() {
    let json = instruction_json(7, &[0x0000_0402, 0, 0x1a00_0f00, 0x000f_0000, 0, 0x12], None);
    assert_eq!(json["pc"], 7);
    assert_eq!(json["words"][2], "0x1a000f00");
    assert_eq!(json["words"][5], "0x00000012");
    assert_eq!(json["type"], "FC");
    let keys: Vec<&String> = json["fields"].as_object().expect("fields").keys().collect();
    assert_eq!(keys, ["US_CMN_INST", "US_FC_INST", "US_FC_ADDR"]);
    assert_eq!(json["fields"]["US_CMN_INST"]["TYPE"], 2);
    assert_eq!(json["fields"]["US_FC_INST"]["JUMP_FUNC"], 15);
    assert_eq!(json["fields"]["US_FC_INST"]["RESERVED_3_3"], 0);
    assert_eq!(json["fields"]["US_FC_ADDR"]["JUMP_ADDR"], 15);
    assert_eq!(
        json["text"],
        "FC US_CMN_INST(ALU_WAIT=1) US_FC_INST(JUMP_FUNC=0xf B_OP0=INCR B_OP1=INCR IGNORE_UNCOVERED=1) US_FC_ADDR(JUMP_ADDR=15) WORD5(0x12)"
    );
}
