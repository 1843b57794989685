//! The C interface from the outside: headers, layouts, the packer, and the clients of
//! `examples/c`, compiled with the system's compilers and run on every engine.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use ctm::capi::types;
use ctm::command::{COMMANDS, Command, ConstantFormat, Layout, Opcode, SurfaceFormat};
use ctm::launch::{Domain, Location, Test};
use ctm::memory::{Format, Tiling};

use crate::compiler::{self, Language, build, check, root, run, succeed};
use crate::engines::engines;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = root().join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    files
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file of the test's own");
    path
}

fn headers() -> Vec<String> {
    let names = files("include").into_iter().map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.into_owned()
    });
    let headers: Vec<String> = names.collect();
    let expected = [
        "amDeviceManaged.h",
        "amuABI.h",
        "amuAsm.h",
        "amuCbufPack.h",
        "amuCbufTypes.h",
        "amuComp.h",
        "ctm.h",
    ];
    assert_eq!(headers, expected);
    headers
}

/// The packer is a class: the one header that is not for C.
const CPP_ONLY: &str = "amuCbufPack.h";

fn include_all(but: &str) -> String {
    let names = headers();
    let lines = names.iter().filter(|name| *name != but);
    lines.fold(String::new(), |text, name| text + &format!("#include \"{name}\"\n"))
}

#[test]
fn each_header_stands_alone_in_c99_and_cpp98_and_later() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in headers() {
        let text = format!("#include \"{name}\"\n#include \"{name}\"\nint nothing;\n");
        if name != CPP_ONLY {
            check(Language::C99, &write(folder.path(), "one.c", &text));
        }
        let path = write(folder.path(), "one.cpp", &text);
        check(Language::Cpp98, &path);
        check(Language::Cpp17, &path);
    }
}

#[test]
fn structures_and_constants_are_those_of_the_library() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut expected = types::layout();
    for row in COMMANDS {
        let name = format!("AMU_CBUF_{}", row.name.to_uppercase());
        expected.push((name, row.word.into()));
    }
    for test in Test::ALL {
        let name = format!("AMU_CBUF_FLD_COND_TEST_{}", test.name());
        expected.push((name, test.code().into()));
    }
    for (location, code) in [(Location::Dpp, 0), (Location::Pe, 1)] {
        let name = format!("AMU_CBUF_FLD_COND_LOC_{}", location.name());
        expected.push((name, code));
    }
    expected.push(("sizeof(AMuint32)".to_string(), 4));
    expected.push(("sizeof(ctm_uint64)".to_string(), 8));
    let mut text = include_all(CPP_ONLY);
    text.push_str("#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n");
    for (expression, _) in &expected {
        let _ = writeln!(text, "printf(\"%lu\\n\", (unsigned long)({expression}));");
    }
    text.push_str("return 0; }\n");
    for (language, name) in [(Language::C99, "layout.c"), (Language::Cpp98, "layout.cpp")] {
        let program = build(language, &write(folder.path(), name, &text), folder.path(), &[]);
        let found = succeed(&program, &[], &[]);
        let lines: Vec<&str> = found.lines().collect();
        assert_eq!(lines.len(), expected.len());
        for ((expression, value), line) in expected.iter().zip(lines) {
            assert_eq!(line, value.to_string(), "{expression} in {language:?}");
        }
    }
}

/// The names behind `pattern` up to the next bracket.
fn names_behind(text: &str, patterns: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for pattern in patterns {
        for (at, _) in text.match_indices(pattern) {
            let rest = &text[at + pattern.len()..];
            let name = rest.split('(').next().unwrap_or_default();
            names.insert(name.trim().to_string());
        }
    }
    names
}

/// The functions that headers declare: names before a bracket at the beginning of a line.
fn declared() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for name in headers().iter().filter(|name| *name != CPP_ONLY) {
        let text = fs::read_to_string(root().join("include").join(name)).expect("readable");
        for line in text.lines() {
            let declares = line.starts_with(|c: char| c.is_ascii_alphabetic())
                && !line.starts_with("typedef")
                && !line.starts_with("extern")
                && line.contains('(');
            if declares {
                let before = line.split('(').next().unwrap_or_default();
                let name = before.rsplit([' ', '*']).next().unwrap_or_default();
                names.insert(name.to_string());
            }
        }
    }
    names
}

#[test]
fn every_declared_function_is_exported_and_every_exported_one_declared() {
    let source = fs::read_to_string(root().join("src/capi/ffi.rs")).expect("readable");
    let patterns = ["pub unsafe extern \"C\" fn ", "pub extern \"C\" fn "];
    let exported = names_behind(&source, &patterns);
    let declared = declared();
    assert!(exported.len() > 25, "{exported:?}");
    assert_eq!(exported, declared);
    // The shared library has them all.
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = include_all(CPP_ONLY);
    text.push_str("#include <stdio.h>\ntypedef void (*function)(void);\nint main(void) {\n");
    text.push_str("const function all[] = {\n");
    for name in &declared {
        let _ = writeln!(text, "(function){name},");
    }
    text.push_str("};\nprintf(\"%d\\n\", (int)(sizeof all / sizeof all[0]));\nreturn 0; }\n");
    let path = write(folder.path(), "all.c", &text);
    let program = build(Language::C99, &path, folder.path(), &[]);
    assert_eq!(succeed(&program, &[], &[]), format!("{}\n", declared.len()));
}

/// One call of the packer and the command that it stands for.
struct Packed {
    call: String,
    command: Command,
}

fn packed(call: impl Into<String>, command: Command) -> Packed {
    Packed { call: call.into(), command }
}

/// The name of a packer function: `append` and the command's name in capitals.
fn packer_name(opcode: Opcode) -> String {
    let words = opcode.name().split('_');
    words.fold("append".to_string(), |name, word| {
        let (first, rest) = word.split_at(1);
        name + &first.to_uppercase() + rest
    })
}

fn packer_calls() -> Vec<Packed> {
    let mut calls = Vec::new();
    let surfaces = [
        (0x1000_0000, 4, Tiling::Linear, Format::Uint16x1, 0),
        (0x1000_0800, 64, Tiling::Tiled, Format::Float32x4, 16),
        (0xffff_f800, 8188, Tiling::LinearInp2x2, Format::Float32x1, 8191),
        (0, 0, Tiling::TiledInp2x2, Format::Uint8x4, 1),
        (0x8000_0000, 128, Tiling::Tiled, Format::Float32x2, 77),
        (0x1000_1000, 32, Tiling::Linear, Format::Uint8x1, 5),
        (0x1000_1800, 64, Tiling::Tiled, Format::Uint8x2, 5),
        (0x1000_2000, 64, Tiling::Tiled, Format::Uint16x2, 5),
        (0x1000_2800, 64, Tiling::Linear, Format::Uint16x4, 5),
    ];
    for (n, (address, pitch, tiling, format, height)) in surfaces.into_iter().enumerate() {
        let surface = SurfaceFormat { address, layout: Layout { pitch, tiling, format }, height };
        let (f, t) = (format.code(), tiling.code());
        // The width is rounded up to the pitch.
        let width = pitch.saturating_sub(n as u32 % 4);
        let rest = format!("{address}u, {f}u, {t}u, {width}u, {height}u");
        for index in [n as u8, 15] {
            let call = format!("appendSetInpFmt({index}, {rest})");
            calls.push(packed(call, Command::SetInpFmt { index, surface }));
        }
        let index = n as u8 % 4;
        let call = format!("appendSetOutFmt({index}, {rest})");
        calls.push(packed(call, Command::SetOutFmt { index, surface }));
        let call = format!("appendSetCondOutFmt({rest})");
        calls.push(packed(call, Command::SetCondOutFmt(surface)));
        calls.push(packed(
            format!("appendSetInstFmt({address}u, 0, 0, 0)"),
            Command::SetInstFmt { address },
        ));
        calls.push(packed(format!("appendSetParams({address}u)"), Command::SetParams { address }));
        let (resource, simds) = (0x2000_0000 + n as u32, 1 + n as u32);
        calls.push(packed(
            format!("appendSetShared({resource}u, {simds}u)"),
            Command::SetShared { resource, simds },
        ));
        calls.push(packed(
            format!("appendReadPerfCounters({address}u)"),
            Command::ReadPerfCounters { address },
        ));
        for (name, make, wanted) in [
            ("Constf", Command::SetConstfFmt as fn(ConstantFormat) -> Command, 16),
            ("Consti", Command::SetConstiFmt, 4),
            ("Constb", Command::SetConstbFmt, 4),
        ] {
            let layout = None;
            let call = format!("appendSet{name}Fmt({address}u, 0, 0, 0)");
            calls.push(packed(call, make(ConstantFormat { address, layout })));
            if format.bytes_per_element() == wanted {
                let layout = Some(surface.layout);
                let call = format!("appendSet{name}Fmt({address}u, {f}u, {t}u, {width}u)");
                calls.push(packed(call, make(ConstantFormat { address, layout })));
            }
        }
    }
    for (i0, j0, i1, j1) in [(0, 0, 0, 0), (1, 2, 3, 4), (4095, 0, 17, 4095)] {
        let call = format!("appendSetDomain({i0}, {j0}, {i1}, {j1})");
        calls.push(packed(call, Command::SetDomain(Domain { i0, j0, i1, j1 })));
    }
    for value in [0, 1, 0x3f80_0000, u32::MAX] {
        let call = format!("appendSetCondVal({value}u)");
        calls.push(packed(call, Command::SetCondVal { value }));
    }
    for mask in 0..16 {
        let call = format!("appendSetOutMask({mask})");
        calls.push(packed(call, Command::SetOutMask { mask }));
    }
    for test in Test::ALL {
        let call = format!("appendSetCondTest(AMU_CBUF_FLD_COND_TEST_{})", test.name());
        calls.push(packed(call, Command::SetCondTest(test)));
    }
    for location in [Location::Dpp, Location::Pe] {
        let call = format!("appendSetCondLoc(AMU_CBUF_FLD_COND_LOC_{})", location.name());
        calls.push(packed(call, Command::SetCondLoc(location)));
    }
    for (bit, flag) in [(0, false), (1, true)] {
        let call = format!("appendSetCondOutMask({bit})");
        calls.push(packed(call, Command::SetCondOutMask { write: flag }));
        let call = format!("appendInitPerfCounters({bit})");
        calls.push(packed(call, Command::InitPerfCounters { enable: flag }));
    }
    for command in [
        Command::StartPerfCounters,
        Command::StopPerfCounters,
        Command::StartProgram,
        Command::WaitForIdle,
        Command::InvInstCache,
        Command::InvConstfCache,
        Command::InvConstiCache,
        Command::InvConstbCache,
        Command::InvCondOutCache,
        Command::InvInpCache,
        Command::FlushOutCache,
        Command::FlushCondOutCache,
    ] {
        calls.push(packed(packer_name(command.opcode()) + "()", command));
    }
    calls
}

#[test]
fn the_packer_makes_the_words_of_the_builder() {
    let calls = packer_calls();
    // Every command of the table has a function, and every function a command.
    let called: BTreeSet<String> = calls
        .iter()
        .map(|one| one.call.split('(').next().unwrap_or_default().to_string())
        .collect();
    let expected: BTreeSet<String> = COMMANDS.iter().map(|r| packer_name(r.opcode)).collect();
    assert_eq!(called, expected);
    let header = fs::read_to_string(root().join("include").join(CPP_ONLY)).expect("readable");
    assert_eq!(
        names_behind(&header, &["void append"])
            .into_iter()
            .map(|name| format!("append{name}"))
            .collect::<BTreeSet<String>>(),
        expected
    );

    let mut text = "#include <cstdio>\n#include \"amuCbufPack.h\"\n\
                    static unsigned int words[4096];\nint main() {\n\
                    AMUcbufPack pack(words, 4096);\nunsigned int before = 0;\n"
        .to_string();
    for one in &calls {
        let _ = writeln!(text, "pack.{};", one.call);
        text.push_str(
            "for (; before < pack.getCommandBufferSize(); before++) \
             std::printf(\"%08x \", words[before]);\nstd::printf(\"\\n\");\n",
        );
    }
    text.push_str("return 0; }\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "pack.cpp", &text);
    let found = succeed(&build(Language::Cpp98, &path, folder.path(), &[]), &[], &[]);
    assert_eq!(found.lines().count(), calls.len());
    for (line, one) in found.lines().zip(&calls) {
        let mut words = Vec::new();
        one.command.encode(&mut words).expect("all values fit");
        let words: Vec<String> = words.iter().map(|word| format!("{word:08x} ")).collect();
        assert_eq!(line, words.concat(), "{}", one.call);
    }
}

#[test]
fn a_packer_that_runs_over_makes_a_buffer_that_is_refused() {
    let text = "#include <cstdio>\n#include \"amuCbufPack.h\"\nint main() {\n\
        unsigned int words[8] = {9, 9, 9, 9, 9, 9, 9, 9};\n\
        AMUcbufPack pack(words, 6);\n\
        pack.appendSetDomain(1, 2, 3, 4);\n\
        pack.appendStartProgram();\n\
        pack.appendWaitForIdle();\n\
        AMUcbufPack none(words + 7, 0);\n\
        none.appendStartProgram();\n\
        for (int n = 0; n < 8; n++) std::printf(\"%x \", words[n]);\n\
        std::printf(\"%u %u\\n\", pack.getCommandBufferSize(), none.getCommandBufferSize());\n\
        return 0; }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(folder.path(), "over.cpp", text);
    let found = succeed(&build(Language::Cpp98, &path, folder.path(), &[]), &[], &[]);
    assert_eq!(found, "0 1 2 3 4 9 9 9 10 2\n");
}

/// The clients of `examples/c`: source, defines, arguments, what each prints at its end.
const CLIENTS: &[(&str, &[&str], &[&str], &str)] = &[
    ("saxpy.c", &[], &[], "saxpy: 4096 results are right\n"),
    ("upload.cpp", &[], &[], "upload: 7680 results are right\n"),
    ("upload.cpp", &["-DUPLOAD_IN_ASSEMBLY"], &[], "upload: 7680 results are right\n"),
    ("stream.cpp", &[], &[], "stream: 600 calls are right\n"),
    (
        "passes.c",
        &[],
        &[],
        "passes: 6144 points are right, 3117 marked, 8993 clocks, 8816 of them active\n",
    ),
    ("coherence.c", &[], &[], "coherence: 2 submissions are right\n"),
    ("devices.c", &[], &[], "devices: 2 x 10000 submissions are right\n"),
];

#[test]
fn the_clients_work_on_every_engine() {
    let sources: BTreeSet<String> = files("examples/c")
        .iter()
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    let mut known: BTreeSet<String> = CLIENTS.iter().map(|one| one.0.to_string()).collect();
    // A measurement: compiled here and run once, shortly.
    known.insert("throughput.c".to_string());
    assert_eq!(sources, known);

    let folder = tempfile::tempdir().expect("a folder");
    for (name, defines, arguments, expected) in CLIENTS {
        let source = root().join("examples/c").join(name);
        let program = build(Language::of(&source), &source, folder.path(), defines);
        for engine in engines(false) {
            let found = succeed(&program, arguments, &[("CTM_ENGINE", engine)]);
            assert_eq!(&found, expected, "{name} on engine {engine}");
        }
    }
    let source = root().join("examples/c/throughput.c");
    let program = build(Language::C99, &source, folder.path(), &[]);
    let found = succeed(&program, &["100"], &[]);
    assert_eq!(found.lines().count(), 3, "{found}");
}

/// A client of several passes is right on a machine with caches, too.
#[test]
fn passes_give_every_command_for_a_cache() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = root().join("examples/c/passes.c");
    let program = build(Language::C99, &source, folder.path(), &[]);
    let recording = folder.path().join("passes.rec");
    let variables = [("CTM_ENGINE", "block"), ("CTM_RECORD", recording.to_str().expect("a path"))];
    succeed(&program, &[], &variables);
    let checked = Process::new(env!("CARGO_BIN_EXE_ctm"))
        .args(["check", "--json", "--deny", "missing-cache-command"])
        .arg(&recording)
        .output()
        .expect("ctm runs");
    let found = String::from_utf8_lossy(&checked.stdout);
    assert!(found.starts_with('{'), "{}", String::from_utf8_lossy(&checked.stderr));
    assert!(!found.contains("missing-cache-command"), "{found}");
}

/// Each command for a cache that is left out gives one hazard, which names it.
#[test]
fn a_missing_command_for_a_cache_is_a_hazard() {
    let start = 45;
    let stale = |what: &str, bytes: u32, address: u32, missing: &str| {
        // The command left out is before the start_program.
        let start = start - 2;
        format!(
            "hazard: word {start} (0xc0000800): start_program: {what}: {bytes} byte(s) from \
             0x{address:08x} on have changed since the start_program at word {start} of submission \
             1; the cache might still hold the old ones: {missing} missing\n"
        )
    };
    let host = |address: u32, missing: &str| {
        format!(
            "hazard: word {} (the end): 1024 byte(s) from 0x{address:08x} on of system memory were \
             written by the start_program at word {start}; the host may read old data: {missing} \
             missing\n",
            start + 4
        )
    };
    let cases = [
        ("inv_inst_cache", "one hazard about the program".to_string()),
        ("inv_constf_cache", stale("a float constant", 1, 0x2002_0002, "inv_constf_cache")),
        ("inv_consti_cache", stale("an integer constant", 1, 0x2002_1000, "inv_consti_cache")),
        ("inv_constb_cache", stale("a boolean constant", 1, 0x2002_2000, "inv_constb_cache")),
        (
            "inv_cond_out_cache",
            stale("the conditional buffer", 766, 0x2003_2001, "inv_cond_out_cache"),
        ),
        ("inv_inp_cache", stale("input 0", 434, 0x2003_0002, "inv_inp_cache")),
        ("flush_out_cache", host(0x2003_1000, "flush_out_cache")),
        ("flush_cond_out_cache", host(0x2003_2000, "flush_cond_out_cache")),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let source = root().join("examples/c/coherence.c");
    let program = build(Language::C99, &source, folder.path(), &[]);
    for engine in engines(false) {
        for (missing, expected) in &cases {
            let found = succeed(&program, &[missing], &[("CTM_ENGINE", engine)]);
            let (hazards, end) = found.split_at(found.rfind("coherence:").unwrap_or(0));
            assert_eq!(end, "coherence: 2 submissions are right\n", "{missing} on {engine}");
            // Which bytes of an executable differ depends on the assembler.
            match hazards.split_once("the program: ") {
                Some((_, of)) => {
                    let since = "have changed since the start_program at word 43 of submission 1";
                    assert!(*missing == "inv_inst_cache" && of.contains(since), "{hazards}");
                    assert!(of.ends_with(": inv_inst_cache missing\n"), "{hazards}");
                    assert_eq!(hazards.lines().count(), 1, "{hazards}");
                }
                None => assert_eq!(hazards, expected, "{missing} on {engine}"),
            }
        }
    }
}

/// An old client calls nothing that tells it of hazards: the log does.
#[test]
fn the_log_has_hazards() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = root().join("examples/c/coherence.c");
    let program = build(Language::C99, &source, folder.path(), &[]);
    for (log, lines) in [("0", 0), ("1", 1)] {
        let variables = [("CTM_ENGINE", "block"), ("CTM_COHERENCE", "1"), ("CTM_LOG", log)];
        let output = run(&program, &["inv_inp_cache"], &variables);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(err.lines().count(), lines, "{err}");
        let is_hazard = |line: &str| line.starts_with("ctm: submission 2: hazard: word 43");
        assert!(err.lines().all(is_hazard), "{err}");
    }
}

/// On the adapter that `CTM_ADAPTER` names, else on a real GPU; see `common` for when this runs.
#[test]
#[ignore = "needs an adapter"]
fn the_clients_work_on_the_gpu() {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let (adapter, cache) = (variable("CTM_ADAPTER"), variable("CTM_CACHE_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    for (name, defines, arguments, expected) in CLIENTS {
        let source = root().join("examples/c").join(name);
        let program = build(Language::of(&source), &source, folder.path(), defines);
        // Each submission is waited for, and that takes its time there.
        let arguments: &[&str] = match *name {
            "devices.c" | "stream.cpp" => &["100"],
            _ => arguments,
        };
        for engine in engines(true) {
            let variables = [
                ("CTM_ENGINE", engine),
                ("CTM_ADAPTER", adapter.as_str()),
                ("CTM_CACHE_DIR", cache.as_str()),
                // As docs/c-api.md says to keep Mesa's layer quiet.
                ("NODEVICE_SELECT", "1"),
            ];
            let output = compiler::run(&program, arguments, &variables);
            // Drivers say things on standard error.
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("XDG_RUNTIME_DIR"), "{said}");
            let found = String::from_utf8_lossy(&output.stdout).into_owned();
            let expected = expected.replace("10000", "100").replace("600", "100");
            assert_eq!(
                found,
                expected,
                "{name} on engine {engine}: {}\n{}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(output.status.success(), "{name}: {}", output.status);
        }
    }
}

#[test]
fn the_static_library_works_too() {
    let text = fs::read_to_string(compiler::libraries().join("pkgconfig/ctm.pc"));
    let text = text.expect("installed");
    let private = text.lines().find_map(|line| line.strip_prefix("Libs.private: "));
    let private = private.expect("the line is there");
    let folder = tempfile::tempdir().expect("a folder");
    let source = root().join("examples/c/saxpy.c");
    let program = folder.path().join("saxpy");
    let library = compiler::libraries().join("libctm.a");
    let mut arguments = vec!["-o".into(), program.clone().into(), library.into()];
    arguments.extend(private.split_whitespace().map(Into::into));
    compiler::compile(Language::C99, &source, &arguments);
    assert_eq!(succeed(&program, &[], &[]), CLIENTS[0].3);
}

/// Runs the clients under valgrind where it is installed: no invalid access, no leak.
#[test]
fn the_clients_are_clean_under_valgrind() {
    if Process::new("valgrind").arg("--version").output().is_err() {
        println!("not run: valgrind is not installed");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, defines, arguments, _) in CLIENTS {
        let source = root().join("examples/c").join(name);
        let program = build(Language::of(&source), &source, folder.path(), defines);
        // One thread runs at a time there, and clients that spin take most of it.
        let arguments: &[&str] = match *name {
            "devices.c" | "stream.cpp" => &["50"],
            _ => arguments,
        };
        let output = Process::new("valgrind")
            .args([
                "--quiet",
                "--error-exitcode=99",
                "--leak-check=full",
                "--show-leak-kinds=definite,indirect",
            ])
            .args(["--errors-for-leak-kinds=definite,indirect"])
            .arg(&program)
            .args(arguments)
            .env("CTM_ENGINE", "block")
            .env(compiler::LIBRARY_PATH, compiler::libraries())
            .output()
            .expect("valgrind runs");
        assert!(
            output.status.success(),
            "{name}: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
