//! Source files, line tables and names in executables.

use super::*;
use crate::program::interface::Kind;
use crate::program::{
    Line, Name, NameKind, Program, SourceFile, SourceMap, ValuePlace, Variable, VariableLocation,
};

fn mapped() -> Image {
    let mut image = full_image();
    let line = |slot, file, line, column| Line { slot, file, line, column };
    let name = |kind, number, name: &str| Name { kind, number, name: name.into() };
    image.source = SourceMap {
        files: vec![
            SourceFile::new("k.dpp".into(), *b"0123456789abcdef"),
            SourceFile::new("größe".into(), [0xff; 16]),
        ],
        lines: vec![line(0, 1, 7, 5), line(1, 0, 1, 1), line(1, 1, 2, 3)],
        names: vec![name(NameKind::Temp, 127, "sum"), name(NameKind::Label, 1, "")],
        variables: vec![variable()],
        ..SourceMap::default()
    }
    .into();
    image
}

fn variable() -> Variable {
    let places = [ValuePlace::Temp(127, 3), ValuePlace::Constant(255, 2), ValuePlace::Literal(7)];
    let location = |(component, place)| VariableLocation {
        component,
        line: 9,
        nth: component.checked_sub(1),
        slots: 0..2,
        place,
        abs: component == 1,
        neg: component == 2,
    };
    Variable {
        name: "ray".into(),
        function: "main".into(),
        line: 8,
        kind: Kind::Int,
        components: 3,
        stores: vec![(0, 0), (2, 9)],
        locations: (0..).zip(places).map(location).collect(),
    }
}

#[test]
fn source_maps_are_read_as_written() {
    let image = mapped();
    let read_back = read(&write(&image)).expect("valid");
    assert_eq!((&read_back, read_back.source.get()), (&image, image.source.get()));
    assert_eq!(read_back.location(0).map(|at| at.to_string()), Some("größe:7:5".into()));
    assert_eq!(read_back.place(1), "pc 1, k.dpp:1:1");
    let both: Vec<String> = read_back.locations(1).map(|at| at.to_string()).collect();
    assert_eq!(both, ["k.dpp:1:1", "größe:2:3"]);
    assert_eq!(read_back.place(2), "pc 2");
    // Each part alone.
    for part in 0..3 {
        let map = image.source.get().expect("a map").clone();
        let lines = Vec::new();
        let alone = match part {
            0 => SourceMap { files: map.files, lines, ..SourceMap::default() },
            1 => SourceMap { names: map.names, ..SourceMap::default() },
            _ => SourceMap::default(),
        };
        let image = Image { source: alone.into(), ..image.clone() };
        let read_back = read(&write(&image)).expect("valid");
        assert_eq!(read_back.source.get(), image.source.get());
    }
    // A program without a map has the notes of before.
    let bare = Image { source: SourceMap::default().into(), ..image };
    assert_eq!(write(&bare), write(&full_image()));
}

/// The offset of the description of our note of a type.
fn desc(file: &[u8], kind: u32) -> usize {
    let header = [kind.to_le_bytes().as_slice(), b"DPPEMU\0\0"].concat();
    let at = file.windows(header.len()).position(|window| window == header).expect("the note");
    at + header.len()
}

/// The warnings of `mapped()` with one word of a note changed, which parts remain, and that it still
/// is the same program.
fn damaged(kind: u32, word: usize, value: u32) -> (String, [bool; 3]) {
    let mut file = write(&mapped());
    let at = desc(&file, kind) + 4 * word;
    put(&mut file, at, value);
    told(&file)
}

fn told(file: &[u8]) -> (String, [bool; 3]) {
    let image = read(file).expect("loads");
    assert_eq!(Image { warnings: Vec::new(), ..image.clone() }, full_image());
    let program = Program::new(image.clone()).expect("valid");
    let warnings: Vec<String> = image.warnings.iter().map(ToString::to_string).collect();
    assert!(
        program
            .warnings()
            .iter()
            .map(ToString::to_string)
            .take(warnings.len())
            .eq(warnings.clone())
    );
    let map = image.source.get().cloned().unwrap_or_default();
    let offset = |word: &str| word.starts_with("0x").then_some("AT");
    let text = warnings.join("\n");
    // Offsets of the file are those of other tests.
    let words = text.split(' ').map(|word| offset(word).unwrap_or(word)).collect::<Vec<_>>();
    let text = words.join(" ").replace("; the program is loaded without this note", "");
    (text, [map.files.is_empty(), map.lines.is_empty(), map.names.is_empty()])
}

#[test]
fn damage_drops_one_part_with_a_warning() {
    const FILES: u32 = 5;
    const LINES: u32 = 6;
    const NAMES: u32 = 7;
    let no_lines = [false, true, false];
    let no_names = [false, false, true];
    for (kind, word, value, text, lost) in [
        (
            LINES,
            0,
            2,
            "word 0 of the line table note at offset AT is AT expected version 1",
            no_lines,
        ),
        (NAMES, 0, 0, "word 0 of the names note at offset AT is AT expected version 1", no_names),
        (
            LINES,
            1,
            2,
            "the slot at offset AT of the line table note is 2, expected 0 to 1",
            no_lines,
        ),
        (
            LINES,
            9,
            0,
            "the slot at offset AT of the line table note is 0, expected 1 to 1",
            no_lines,
        ),
        (
            LINES,
            2,
            2,
            "the file at offset AT of the line table note is 2, expected 0 to 1",
            no_lines,
        ),
        (
            LINES,
            3,
            0,
            "the line at offset AT of the line table note is 0, expected 1 to 4294967294",
            no_lines,
        ),
        (
            LINES,
            4,
            u32::MAX,
            "the column at offset AT of the line table note is 4294967295, expected 1 to 4294967294",
            no_lines,
        ),
        (NAMES, 1, 7, "the kind at offset AT of the names note is 7, expected 0 to 6", no_names),
        (
            NAMES,
            2,
            128,
            "the number of the temporary at offset AT of the names note is 128, expected less than 128",
            no_names,
        ),
        (
            NAMES,
            3,
            3 + 20,
            "truncated: the entry at offset AT of the names note needs 23 bytes, the note has 16 left",
            no_names,
        ),
        (
            NAMES,
            3,
            u32::MAX,
            "truncated: the entry at offset AT of the names note needs 4294967295 bytes, the note has 16 left",
            no_names,
        ),
        (
            NAMES,
            4,
            0x00ff_7575,
            "the name at offset AT of the names note is [117, 117, 255], expected UTF-8 text",
            no_names,
        ),
    ] {
        assert_eq!(damaged(kind, word, value), (text.to_string(), lost));
    }
    // The variable's words after its names: line, kind, components, stores, these, locations; then those of the
    // first location.
    const VARIABLES: u32 = 9;
    for (word, value, text) in [
        (6, 3, "the kind at offset AT of the variables note is 3, expected less than 3"),
        (14, 3, "the component at offset AT of the variables note is 3, expected less than 3"),
        (18, 3, "the slot at offset AT of the variables note is 3, expected less than 3"),
        (
            20,
            3,
            "the kind of a place at offset AT of the variables note is 3, expected less than 3",
        ),
        (
            21,
            128,
            "the temporary at offset AT of the variables note is 128, expected less than 128",
        ),
    ] {
        assert_eq!(damaged(VARIABLES, word, value), (text.to_string(), [false; 3]));
    }
    // Without its files a line table says nothing.
    let (text, lost) = damaged(FILES, 5, u32::MAX);
    assert_eq!(
        text,
        "truncated: the entry at offset AT of the source files note needs 4294967295 bytes, the note has 36 left\n\
         the file at offset AT of the line table note is 1, expected no entry"
    );
    assert_eq!(lost, [true, true, false]);
}

#[test]
fn a_cut_or_second_part_is_dropped() {
    let file = write(&mapped());
    // The line table becomes a second note of names.
    let mut second = file.clone();
    let at = desc(&file, 6) - 12;
    put(&mut second, at, 7);
    let (text, lost) = told(&second);
    assert_eq!(
        text,
        "truncated: the entry at offset AT of the names note needs 3 bytes, the note has 0 left\n\
         the names note at offset AT is the second one, expected at most one"
    );
    assert_eq!(lost, [false, true, true]);
    // The rest of a cut line table becomes a note of an unknown type.
    for words in 0..13usize {
        let mut cut = file.clone();
        let at = desc(&file, 6);
        put(&mut cut, at - 16, 4 * words as u32);
        let rest = at + 4 * words;
        let left = 13 - words;
        if left < 3 {
            continue;
        }
        put(&mut cut, rest, 0);
        put(&mut cut, rest + 4, 4 * (left as u32 - 3));
        let (text, lost) = told(&cut);
        let whole = words > 0 && (words - 1) % 4 == 0;
        assert_eq!(text.is_empty(), whole, "{words}: {text}");
        assert_eq!(lost, [false, !matches!(words, 5 | 9), false], "{words}");
    }
}

#[test]
fn interfaces_are_read_as_written() {
    use crate::program::interface::{Constant, Interface, Kind, Output, Sampler, Scalar, Uniform};
    let uniform = Uniform {
        name: "größe[1].k".into(),
        kind: Kind::Float,
        columns: 1,
        rows: 3,
        default: Some(vec![1, 2, 0x7fc0_0000]),
        used: true,
    };
    let interface = Interface {
        uniforms: vec![uniform],
        samplers: vec![Sampler { name: "t".into(), input: 15, used: false }],
        outputs: vec![Output { name: "o".into(), slot: 3 }],
        scalars: vec![Scalar::Size(3, 1), Scalar::Uniform(0, 2)],
        constants: vec![Constant { addr: 255, channel: 3, scalar: Scalar::Uniform(0, 2) }],
        upward: true,
        ..Interface::default()
    };
    let with =
        |interface: &Interface| Image { interface: Some(interface.clone().into()), ..mapped() };
    let image = with(&interface);
    assert_eq!(read(&write(&image)).expect("valid"), image);
    // Damage is a warning, and no interface.
    let mut broken = [(); 4].map(|()| interface.clone());
    broken[0].uniforms[0].default = Some(vec![1]);
    broken[1].constants[0].scalar = Scalar::Uniform(0, 3);
    broken[2].samplers[0].input = 16;
    broken[3].constants[0].channel = 4;
    for broken in broken {
        let read_back = read(&write(&with(&broken))).expect("valid");
        assert_eq!((read_back.interface.as_ref(), read_back.warnings.len()), (None, 1));
        let text = read_back.warnings[0].to_string();
        assert!(text.contains("with an index out of range; the program is loaded"), "{text}");
    }
    for (word, value, message) in [
        (0, 2, "is 0x2, expected version 1"),
        (1, 1, "is no interface: EOF while parsing an object"),
        (2, 0, "is no interface: expected value at line 1 column 1"),
    ] {
        let mut file = write(&image);
        let at = desc(&file, 8) + 4 * word;
        put(&mut file, at, value);
        let read_back = read(&file).expect("valid");
        assert_eq!(read_back.interface, None);
        let text = read_back.warnings[0].to_string();
        assert!(text.contains(message), "{text}");
    }
}
