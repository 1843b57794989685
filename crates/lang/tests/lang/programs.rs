//! Program files against the collection of test vectors, where that is at hand.

use ctm_base::stop::Stop;
use ctm_lang::load::{self, Kind};
use ctm_lang::program::{Image, Program};
use ctm_testing::files::{collection, files};
use std::path::Path;

fn load(path: &Path) -> load::Loaded {
    let bytes = std::fs::read(path).expect("a readable file");
    load::load(&bytes, &path.to_string_lossy(), None, None, Stop::never())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_program_of_the_vectors_is_valid() {
    let Some(vectors) = collection() else { return };
    let files = files(&vectors, "hex");
    assert!(files.len() >= 759 + 60, "{} files", files.len());
    let mut warnings = 0;
    for path in &files {
        let loaded = load(path);
        assert_eq!(loaded.kind, Kind::Hex, "{}", path.display());
        let mut image = loaded.image;
        image.umrt = path.parent().is_some_and(|p| {
            p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("umrt"))
        });
        match Program::new(image) {
            Ok(program) => {
                for warning in program.warnings() {
                    println!("{}: {warning}", path.display());
                    warnings += 1;
                }
            }
            Err(errors) => panic!("{}: {errors}", path.display()),
        }
    }
    println!("{} programs, {warnings} warnings", files.len());
}

#[test]
fn mesa_logs_hold_the_words_of_their_listings() {
    let Some(vectors) = collection() else { return };
    let logs = files(&vectors.join("mesa-dumps"), "txt");
    assert!(logs.len() >= 12, "{} logs", logs.len());
    let mut constants = 0;
    for path in &logs {
        let stem = path.file_stem().expect("a name").to_string_lossy();
        let (family, variant) = match stem.split_once("__") {
            Some((family, variant)) => (family, variant),
            None => (&*stem, "default"),
        };
        let listing = vectors.join(format!("jobs/{family}/{variant}.hex"));
        let log = load(path);
        assert_eq!(log.kind, Kind::Mesa, "{}", path.display());
        assert_eq!(log.image.words, load(&listing).image.words, "{}", path.display());
        // Its constants are the ones that the driver uploaded, rounded for print.
        let job = std::fs::read_to_string(listing.with_extension("toml")).expect("a job");
        let job: toml::Table = job.parse().expect("TOML");
        let uploaded = |n: u32| job.get("constants")?.get("float")?.get(n.to_string());
        for literal in &log.image.literals {
            let uploaded = uploaded(literal.addr)
                .and_then(|value| value.as_array())
                .unwrap_or_else(|| panic!("{stem}: constant {}", literal.addr));
            for (got, want) in literal.value.iter().zip(uploaded) {
                let got = f64::from(f32::from_bits(*got));
                let want = want.as_float().expect("a float");
                assert!((got - want).abs() < 0.5001e-4, "{stem}: {got} {want}");
            }
        }
        constants += log.image.literals.len();
    }
    println!("{} logs, {constants} constants", logs.len());
    assert!(constants >= 9);
}

#[test]
fn every_instruction_of_known_programs_is_valid() {
    let Some(vectors) = collection() else { return };
    let text = std::fs::read(vectors.join("decode.json")).expect("a readable file");
    let json: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let mut count = 0;
    for entry in entries(&json) {
        let words: Vec<u32> = entry
            .iter()
            .map(|word| {
                let text = word.as_str().expect("a word").trim_start_matches("0x");
                u32::from_str_radix(text, 16).expect("hexadecimal")
            })
            .collect();
        let words: [u32; 6] = words.try_into().expect("six words");
        if let Err(errors) = Program::new(Image::from_words(vec![words])) {
            panic!("{words:08x?}: {errors}");
        }
        count += 1;
    }
    println!("{count} instructions");
    assert!(count >= 300, "{count} instructions");
}

/// The lists of words in a JSON text, wherever they are.
fn entries(json: &serde_json::Value) -> Vec<&Vec<serde_json::Value>> {
    match json {
        serde_json::Value::Array(list) => list.iter().flat_map(entries).collect(),
        serde_json::Value::Object(map) => match map.get("words") {
            Some(serde_json::Value::Array(words)) => vec![words],
            _ => map.values().flat_map(entries).collect(),
        },
        _ => Vec::new(),
    }
}
