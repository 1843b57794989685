//! Lines and names of programs: from the assembler, from shaders, through executables, in reports.

use ctm_lang::program::{Image, NameKind, Program, Severity};
use ctm_lang::{asm, elf, ps};

const SOURCE: &str = "\
.input field i3
.temp sum r1
.temp again r1
.const gain c4
.literal half c5 0.5
";

fn places(image: &Image) -> Vec<String> {
    (0..image.words.len() as u32).map(|pc| image.place(pc)).collect()
}

fn assembled() -> Image {
    let source = SOURCE.lines().collect::<Vec<_>>().join("\r\n")
        + "\n\n  start: ld sum, field[r0.rg]\n\tif alu_result\n  mov sum, gain # again\n\
           endif\n(p.r) mad o0, sum, gain, half ; é\nend";
    asm::assemble(&source, "dir/k.dpp").unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn each_instruction_has_the_line_and_column_of_its_statement() {
    let want = ["7:10", "8:2", "9:3", "10:1", "11:1", "12:1"];
    let want: Vec<String> = (0..)
        .zip(want)
        .map(|(pc, place): (u32, _)| format!("pc {pc}, dir/k.dpp:{place}"))
        .collect();
    let image = assembled();
    assert_eq!(places(&image), want);
    // An executable keeps them.
    let read = elf::read(&elf::write(&image)).expect("valid");
    assert_eq!(places(&read), want);
    assert_eq!(read.source.get(), image.source.get());
    assert!(Program::new(read).expect("valid").source().is_some());
}

#[test]
fn names_are_those_of_the_source() {
    let image = elf::read(&elf::write(&assembled())).expect("valid");
    for (kind, number, name) in [
        (NameKind::Input, 3, Some("field")),
        (NameKind::Temp, 1, Some("again")),
        (NameKind::Temp, 2, None),
        (NameKind::Float, 4, Some("gain")),
        (NameKind::Float, 5, Some("half")),
        (NameKind::Label, 0, Some("start")),
        (NameKind::Output, 0, None),
    ] {
        assert_eq!(image.name_of(kind, number), name, "{kind} {number}");
    }
    assert_eq!(image.named(NameKind::Input, 3), "input 3 `field`");
    assert_eq!(image.named(NameKind::Output, 0), "output 0");
}

#[test]
fn a_shader_has_the_lines_of_its_own_text() {
    let source =
        "ps_3_0\n// comment\ndcl_texcoord0 v0\n\n  lrp r0, v0.x, v0, v0.wzyx\n  mov oC0, r0\n";
    let image = ps::compile(source, "s.ps").unwrap_or_else(|errors| panic!("{errors}"));
    let lines: Vec<u32> =
        (0..image.words.len() as u32).map(|pc| image.location(pc).expect("a line").line).collect();
    assert!(lines.iter().all(|line| [5, 6].contains(line)), "{lines:?}");
    assert_eq!((lines[0], lines[lines.len() - 1]), (5, 6));
    let temps: Vec<&str> = (0..8).filter_map(|n| image.name_of(NameKind::Temp, n)).collect();
    assert_eq!(temps, ["v0", "r0"]);
}

#[test]
fn a_report_shows_statements_or_places() {
    let image = assembled();
    let report = image
        .report(Severity::Warning, 4, "`sum` may be unset", "read here")
        .code("unset")
        .also(2, "written only here")
        .note("a first note")
        .note("a second note")
        .help("write it before");
    let text = report.render(false);
    for part in [
        "[unset] Warning: `sum` may be unset\n",
        "dir/k.dpp:11:1",
        "11 | (p.r) mad o0, sum, gain, half ; ",
        " 9 |   mov sum, gain # again",
        "read here (pc 4)",
        "written only here (pc 2)",
        "a first note",
        "a second note",
        "Help: write it before",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains('\x1b'));
    assert_eq!(report.excerpt(false), text.split_once('\n').map(|(_, rest)| rest.to_string()));
    // Without the text, the places remain.
    let read = elf::read(&elf::write(&image)).expect("valid");
    let report = read.report(Severity::Note, 4, "odd", "read here").also(9, "there").note("why");
    assert_eq!(
        report.render(false),
        "note: odd\n  pc 4, dir/k.dpp:11:1: read here\n  pc 9: there\n  note: why\n"
    );
    assert_eq!(report.excerpt(false), None);
}
