//! `ctm compile` on Direct3D's pixel shaders.

use crate::cli;
use std::fs;
use std::path::Path;

/// The program that a public client compiles for its copies.
const COPY: &str = "\
    ps_3_0
    dcl vPos.xy
    dcl_2d s0
    texld r0, vPos, s0
    mov oC0.xyzw, r0
    end
";

fn ctm(directory: &Path, args: &[&str]) -> (i32, String, String) {
    let ran = cli::ctm(directory, args);
    (ran.status, ran.out, ran.err)
}

#[test]
fn the_command_compiles_and_prints() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    fs::write(path.join("copy.ps"), COPY).expect("written");
    let quiet = (0, String::new(), String::new());
    assert_eq!(ctm(path, &["compile", "copy.ps"]), quiet);
    let image = ctm::elf::read(&fs::read(path.join("copy.elf")).expect("an executable"))
        .expect("an ELF file");
    assert_eq!(Ok(&image), ctm::ps::compile(COPY, "").as_ref());

    let (status, asm, _) = ctm(path, &["compile", "copy.ps", "--print", "asm"]);
    assert_eq!(status, 0);
    let code: Vec<&str> = asm
        .lines()
        .filter(|line| !line.starts_with('.'))
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .collect();
    assert_eq!(code, ["ld r1, i0[r0] @wait @acquire", "movx o0, r1 @wait"]);

    // The other commands take the shader as it is.
    let (status, shown, _) = ctm(path, &["disasm", "copy.ps", "--friendly"]);
    assert_eq!((status, shown), (0, asm));
    assert_eq!(ctm(path, &["info", "copy.ps"]).0, 0);
    assert_eq!(ctm(path, &["info", "--kind", "ps", "copy.ps"]).0, 0);
}

#[test]
fn the_command_shows_errors() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    fs::write(path.join("bad.ps"), "ps_3_0\nfoo r0\nmov r0, q1\n").expect("written");
    let (status, out, err) = ctm(path, &["compile", "bad.ps"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(err.contains("bad.ps:2:1"), "{err}");
    assert!(err.ends_with("ctm: bad.ps: 2 errors\n"), "{err}");
    assert!(!path.join("bad.elf").exists());
    fs::write(path.join("x.elf"), COPY).expect("written");
    let (status, _, err) = ctm(path, &["compile", "x.elf"]);
    assert_eq!(status, 2);
    assert_eq!(err, "ctm: -o x.elf: it would replace x.elf, which is read\n");
}
