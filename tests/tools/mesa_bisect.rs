//! `ctm mesa bisect`: real bugs of Mesa, logs damaged on purpose, and what cannot be interpreted.

use ctm::engine::{NoProgress, Stop, Stopped};
use ctm::job::Job;
use ctm::mesa::bisect::{BisectError, Finding, Options, bisect};
use ctm::mesa::log::{self, Logged};
use ctm_testing::files;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn ours(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mesa").join(name)
}

pub fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn examined(program: &Logged, options: &Options, job: Option<&Job>) -> Finding {
    bisect(program, options, job, &NoProgress).expect("it is examined")
}

/// The findings of all programs of a log.
fn findings(log: &str) -> Vec<Finding> {
    let programs = log::read(log);
    assert!(!programs.is_empty());
    programs.iter().map(|program| examined(program, &Options::default(), None)).collect()
}

/// The names of the passes found in a log.
fn culprits(log: &str) -> Vec<String> {
    let found = findings(log).into_iter();
    found.filter_map(|finding| finding.culprit).map(|culprit| culprit.pass).collect()
}

#[test]
fn a_lost_sign_is_found_in_dataflow_optimize() {
    let wrong = ours("ease_sine_in.m25/fp.log");
    assert_eq!(culprits(&text(&wrong)), ["dataflow optimize"]);
    let right = findings(&text(&ours("ease_sine_in.default/fp.log")));
    assert_eq!(right.len(), 1);
    assert_eq!((&right[0].culprit, &right[0].skipped[..]), (&None, &[][..]));
}

#[test]
fn a_job_gives_the_inputs() {
    let programs = log::read(&text(&ours("ease_sine_in.m25/fp.log")));
    let job = Job::read(&ours("ease_sine_in.m25/job.toml")).expect("a job");
    let finding = examined(&programs[0], &Options::default(), Some(&job));
    let culprit = finding.culprit.expect("a pass");
    assert_eq!(culprit.pass, "dataflow optimize");
    // sin(2 pi x) + 1 and sin(-2 pi x) + 1.
    let [before, after] = [culprit.first.before, culprit.first.after]
        .map(|number| number.parse::<f64>().expect("a number"));
    assert!((before + after - 2.0).abs() < 1e-5, "{before} {after}");
}

#[test]
fn the_real_bugs_are_found_and_nothing_else() {
    let Some(vectors) = files::collection() else {
        return;
    };
    let wrong = [
        ("ease_sine_in.m25", "dataflow optimize"),
        ("ease_sine_in_out.m25", "dataflow optimize"),
        ("glt_rectangle.default", "dataflow optimize"),
        ("glt_rectangle.m25", "dataflow optimize"),
        ("vispy_misc_regular_grid.m25", "machine code"),
    ];
    let logs = files::files(&vectors.join("mesa-bugs"), "log");
    assert!(logs.len() >= 8, "{logs:?}");
    for path in logs {
        let name = path.parent().and_then(Path::file_name).expect("a folder");
        let wrong =
            wrong.iter().find(|(wrong, _)| name == *wrong).map(|(_, pass)| pass.to_string());
        let findings = findings(&text(&path));
        for finding in &findings {
            assert_eq!(finding.skipped, [], "{name:?}");
        }
        let found = findings.into_iter().filter_map(|finding| finding.culprit);
        assert_eq!(found.map(|found| found.pass).next(), wrong, "{name:?}");
    }
}

#[test]
fn every_pass_of_the_logs_is_interpreted_and_none_differs() {
    let Some(vectors) = files::collection() else {
        return;
    };
    let mut logs = 0;
    for path in files::files(&vectors.join("mesa-dumps"), "txt") {
        for finding in findings(&text(&path)) {
            assert_eq!(finding.culprit, None, "{}", path.display());
            assert_eq!(finding.skipped, [], "{}", path.display());
        }
        logs += 1;
    }
    assert!(logs >= 12, "{logs}");
}

/// A log, the pass whose listing is damaged, the text in it, and what it becomes.
const DAMAGES: [[&str; 4]; 13] = [
    ["alu_omod_x4", "rewrite depth out", "MAX temp[0], input[0]", "MIN temp[0], input[0]"],
    ["tex_2d__m25", "transform TEX", "input[0].xyyy", "input[0].yxxx"],
    ["alu_presub_sub", "native rewrite", "input[0], -input[1]", "input[0], input[1]"],
    ["fc_if_else__m25", "deadcode", "temp[3], temp[7]", "temp[7], temp[3]"],
    ["fc_loop_const40", "inline literals", "0.125000 (0x20).wwww", "0.250000 (0x28).wwww"],
    ["deriv_ddx", "dataflow swizzles", "-none.1111", "none.1111"],
    ["fc_loop_const40", "transform KILP", "ADD temp[1].x, temp[1]", "MUL temp[1].x, temp[1]"],
    ["gp_black_scholes__m25", "dead constants", "const[3].x___", "const[3].y___"],
    ["gp_black_scholes__m25", "dataflow presubtract", "(1 - temp[49])._x__", "(1 - temp[31])._x__"],
    ["kill_simple", "pair translate", "src0.0__, src0.1__", "src0.1__, src0.0__"],
    ["fc_if_else", "pair scheduling", "|src0.xyz|", "src0.xyz"],
    ["io_mrt4", "register allocation", "src0.111, -src0.111", "src0.111, src0.111"],
    ["tex_2d__m25", "machine code", "0x1c440220", "0x1c000000"],
];

/// With later listings, which undo the damage, and without.
#[test]
fn a_damaged_pass_is_named() {
    let Some(vectors) = files::collection() else {
        return;
    };
    for [name, pass, from, to] in DAMAGES {
        let log = text(&vectors.join("mesa-dumps").join(name).with_extension("txt"));
        let heading = match pass {
            "machine code" => "R500 Fragment Program:".to_string(),
            pass => format!("after '{pass}'"),
        };
        let at = log.find(&heading).expect("the heading") + heading.len();
        let (head, tail) = log.split_at(at);
        assert!(tail.contains(from), "{name}: {from}");
        let damaged = format!("{head}{}", tail.replacen(from, to, 1));
        assert_eq!(culprits(&damaged)[..1], [pass], "{name}");
        if pass != "machine code" {
            let end = damaged[at..].find("Program:").expect("a heading");
            assert_eq!(culprits(&damaged[..at + end]), [pass], "{name}");
        }
    }
}

/// A log whose 'register allocation' moves a texel's channel x to channel y of a temporary, with the machine
/// code of an assembly text.
fn moved(code: &str) -> String {
    let program = ctm::asm::assemble(code, "code").expect("it assembles");
    let mut log = log_of(
        "  0: TEX temp[9].x, input[0].xy__, RECT[0];\n  1: MOV output[0], temp[9].xxxx;",
        "  0: TEX temp[1].y, input[0].xy__, RECT[0];\n  1: src0.xyz = temp[1] SEM_WAIT\n     \
         MAD color[0].xyz, src0.yyy, src0.111, src0.000\n     MAD color[0].w, src0.y, src0.1, src0.0",
    )
    .replace("a pass", "register allocation");
    log += "R500 Fragment Program:\n--------\n";
    for (n, words) in program.words.iter().enumerate() {
        let names = ["CMN_INST", "RGB_ADDR", "ALPHA_ADDR", "RGB_INST", "ALPHA_INST", "RGBA_INST"];
        log += &n.to_string();
        for (k, (word, name)) in words.iter().zip(names).enumerate() {
            log += &format!("\t{k}:{name} 0x{word:08x}:\n");
        }
    }
    log
}

#[test]
fn the_words_say_which_channel_a_fetch_moves() {
    let fetch = "ld r1.g, i0[r0.rg] swizzle";
    let right = moved(&format!("{fetch}\nmov o0, r1.g").replace(" swizzle", ".rrba"));
    let found = &findings(&right)[0];
    assert_eq!((&found.culprit, &found.skipped[..]), (&None, &[][..]));
    // Other channels are a bug, and so is other machine code.
    let other = moved(&format!("{fetch}\nmov o0, r1.g").replace(" swizzle", ".rbba"));
    assert_eq!(culprits(&other), ["register allocation"]);
    let other = moved(&format!("{fetch}\nmov o0, r1.r").replace(" swizzle", ".rrba"));
    assert_eq!(culprits(&other), ["machine code"]);
    // Without the words, the listing does not say enough, and the one at the end may be cut off.
    let last = "Fragment Program: after 'last'\n  0: MOV output[0], temp[0];\n";
    let cut = right[..right.find("R500").expect("the heading")].to_string() + last;
    let found = &findings(&cut)[0];
    let skipped: Vec<_> = found.skipped.iter().map(|s| (&s.pass[..], &s.reason[..])).collect();
    let fetch = "line 13: a fetch writes other channels than before; only the machine code tells which it takes";
    let end = "line 19: found `0: MOV output[0], temp[0];`, expected machine code after the last listing (cut off?)";
    let no_code = "found a Mesa log without machine code (cut off?), expected a line \"R500 Fragment Program:\"";
    assert_eq!(found.culprit, None);
    let expected = [("register allocation", fetch), ("last", end), ("machine code", no_code)];
    assert_eq!(skipped, expected);
}

/// The pass that each log of tests/mesa/flow shows wrong. Few points show it: those that leave a loop early.
#[test]
fn a_register_that_a_break_leaves_is_followed() {
    for (name, pass) in [
        ("default_own2_2_fun_ret", Some("pair scheduling")),
        ("defaultf_own1_14_kill_ret", Some("pair scheduling")),
        ("defaultf_own1_17", Some("dataflow optimize")),
        ("keep_own2_308_kill_ret", Some("dataflow optimize")),
        ("default_own2_44_fun_kill_ret", Some("dataflow optimize")),
        ("default_own2_131_arr", Some("register allocation")),
        ("default_own2_243_arr", None),
        ("default_own2_108_kill_ret", None),
    ] {
        let path = ours(&format!("flow/{name}.log.gz"));
        let file = std::fs::File::open(&path).expect("the log");
        let mut log = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut log).expect("text");
        let finding = findings(&log).remove(0);
        assert_eq!(finding.skipped, [], "{name}");
        let found = finding.culprit.map(|culprit| culprit.pass);
        assert_eq!(found.as_deref(), pass, "{name}");
    }
}

/// All logs of the collection, with the first wrong passes that another interpreter found. It tried integers that
/// do not reach the faults of four of them: the machine code, alone, differs there as well.
#[test]
fn the_wrong_passes_of_loops_are_named() {
    let Some(vectors) = files::collection() else {
        return;
    };
    let found_here = [
        ("default_own2_152", "register allocation"),
        ("default_own2_90_kill_ret", "pair scheduling"),
        ("keep_own2_90_kill_ret", "pair scheduling"),
        // It loses the sign of (1 - z) * -0.5.
        ("keep_own2_149", "dataflow optimize"),
    ];
    let dir = tempfile::tempdir().expect("a folder");
    let mut tar = Command::new("tar");
    tar.arg("-xJf").arg(vectors.join("mesa-bugs/flow.tar.xz")).arg("-C").arg(dir.path());
    assert!(tar.status().expect("tar runs").success());
    let folder = dir.path().join("flow-bugs");
    let want: BTreeMap<String, Option<String>> =
        serde_json::from_str(&text(&folder.join("want.json"))).expect("JSON");
    assert!(want.len() >= 34, "{}", want.len());
    for (name, want) in want {
        let here = found_here.iter().find(|(other, _)| *other == name).map(|(_, pass)| *pass);
        let log = text(&folder.join(&name).with_extension("log"));
        let found = culprits(&log).into_iter().next();
        assert_eq!(found.as_deref(), here.or(want.as_deref()), "{name}");
    }
}

/// Values that nothing rounds have no tolerance and no share: one point of all is enough.
#[test]
fn one_exact_value_is_enough() {
    // Only where x is 8 does the first give 0.
    let test = "  0: ADD temp[0].x, input[0].x___, -8.000000 (0x50).w___;\n  \
                1: CMP output[0], -|temp[0].xxxx|, input[0], none.0000;";
    assert_eq!(culprits(&log_of(test, "  0: MOV output[0], input[0];")), ["a pass"]);
}

/// Registers that a listing reads before anything writes them are open, and so is all that they decide.
#[test]
fn what_is_undefined_accuses_no_pass() {
    let right = "  0: MOV output[0], input[0];";
    for open in [
        "  0: MOV output[0], temp[7];",
        "  0: ADD output[0], temp[7], input[0];",
        "  0: IF temp[7].xxxx;\n  1:   MOV output[0], const[0];\n  2: ELSE;\n  3:   MOV output[0], none.0000;\n  4: ENDIF;",
        "  0: KIL temp[7];\n  1: MOV output[0], const[0];",
        "  0: RCP temp[0].x, none.0___;\n  1: MOV output[0], temp[0].xxxx;",
        "  0: RCP temp[0].x, none.0___;\n  1: ADD output[0], temp[0].xxxx, -temp[0].xxxx;",
    ] {
        assert_eq!(findings(&log_of(open, right))[0].culprit, None, "{open}");
    }
    // Other than a register that only the later listing does not write.
    assert_eq!(culprits(&log_of(right, "  0: MOV output[0], temp[7];")), ["a pass"]);
}

/// A pass that the next one undoes is wrong; a listing that cannot be read shows nothing.
#[test]
fn a_pass_that_the_next_one_undoes_is_named() {
    let (right, wrong) = ("  0: MOV output[0], input[0];", "  0: MOV output[0], const[0];");
    let log = |third: &str| {
        format!("{}Fragment Program: after 'another pass'\n{third}\n\n", log_of(right, wrong))
    };
    for third in [right, wrong, "  0: FLY output[0];"] {
        assert_eq!(culprits(&log(third)), ["a pass"], "{third}");
    }
}

#[test]
fn a_limit_ends_long_loops_and_a_stop_ends_the_search() {
    let ends = "  0: MOV temp[0], none.0000;\n  1: BGNLOOP;\n  2:   ADD temp[0], temp[0], none.1111;\n  \
                3:   SUB none., temp[0].x___, 6.000000 (0x4c).w___; [aluresult = (x < 0)]\n  \
                4:   IF aluresult.x___;\n  5:     CONT;\n  6:   ENDIF;\n  7:   BRK;\n  8: ENDLOOP;\n  \
                9: MOV output[0], input[0];";
    let log = log::read(&log_of(ends, "  0: MOV output[0], const[0];"));
    let found = |limit| examined(&log[0], &Options { limit, ..Options::default() }, None).culprit;
    assert_eq!(found(1000).map(|culprit| culprit.pass).as_deref(), Some("a pass"));
    // A loop that ends later than at the limit counts as endless: there is nothing to compare.
    assert_eq!(found(10), None);
    let stop = Stop::new();
    stop.stop();
    let stopped = bisect(&log[0], &Options::default(), None, &stop);
    assert_eq!(stopped, Err(BisectError::Stopped(Stopped::Cancelled)));
}

/// A log with one listing after each of two passes.
pub fn log_of(first: &str, second: &str) -> String {
    format!(
        "r300: Initial fragment program\nDCL IN[0], GENERIC[0]\nDCL OUT[0], COLOR\nDCL CONST[0][0]\n\
         Fragment Program: before compilation\n# Radeon Compiler Program\n{first}\n\
         Vertex Program: after 'transform'\n  0: ARL addr[0], nothing;\n\
         Fragment Program: after 'a pass'\n# Radeon Compiler Program\n{second}\n\n"
    )
}

/// Everything that a listing may hold: the same value in two ways.
#[test]
fn the_syntax_of_listings_is_understood() {
    for (a, b) in [
        (
            "  0: MAD_SAT output[0] * 2, input[0], const[0].HHHH, -|input[0].yxwz|;",
            "  0: src0.xyz = input[0], src0.w = input[0], src1.xyz = const[0], src1.w = const[0]\n     \
          MAD_SAT color[0].xyz * 2, src0.xyz, src0.HHH, -|src0.yxw|\n     \
          MAD_SAT color[0].w * 2, src0.w, src1.H, -|src0.z|",
        ),
        (
            "  0: ADD output[0], input[0].-xy-zw, none.1111;",
            "  0: SUB temp[1].xz, none.1111, input[0];\n  1: ADD temp[1].yw, none.1111, input[0];\n  \
          2: MOV output[0], temp[1];",
        ),
        (
            "  0: MUL output[0], (1 - 2 * input[0]).yyyy, (const[0] - input[0]);",
            "  0: MAD temp[0], input[0].yyyy, -2.000000 (0x40).wwww, none.1111;\n  \
          1: SUB temp[1], const[0], input[0];\n  2: MUL output[0], temp[0], temp[1];",
        ),
        (
            "  0: SGE temp[0].x, input[0].x___, none.0___;\n  1: IF temp[0].xxxx;\n  \
          2:   MOV output[0], input[0];\n  3: ELSE;\n  4:   MOV output[0], const[0];\n  5: ENDIF;",
            "  0: CMP output[0], input[0].xxxx, const[0], input[0];",
        ),
        (
            "  0: MOV temp[0], none.0000;\n  1: BGNLOOP;\n  2:   ADD temp[0], temp[0], none.1111;\n  \
          3:   SUB none., temp[0].x___, 6.000000 (0x4c).w___; [aluresult = (x < 0)]\n  \
          4:   IF aluresult.x___;\n  5:     CONT;\n  6:   ENDIF;\n  7:   BRK;\n  8: ENDLOOP;\n  \
          9: MUL output[0], temp[0], input[0];",
            "  0: MUL output[0], input[0], 6.000000 (0x4c).wwww;",
        ),
        (
            "  0: KIL input[0].xxxx;\n  1: TXP output[0], input[0].xyzz, 2D[3] SEM_WAIT SEM_ACQUIRE;",
            "  0: KIL |input[0]|.-x-x-x-x;\n  1: KIL input[0].x_01;\n  2: RCP temp[0].w, input[0].___z;\n  \
          3: MUL temp[0].xy, input[0], temp[0].wwww;\n  4: TEX output[0], temp[0], 2D[3];",
        ),
        (
            "  0: DP3 output[0], input[0], const[0].xyz_;\n  1: DP4 output[0].x, input[0], input[0];",
            "  0: src0.xyz = input[0], src1.xyz = const[0] SEM_WAIT\n     DP3 color[0].xyz, src0.xyz, \
          src1.xyz\n     DP3 color[0].w, src0.0, src0.0\n  1: src0.xyz = input[0], src0.w = input[0]\n     \
          DP4 color[0].x, src0.xyz, src0.xyz\n     DP4, src0.w, src0.w",
        ),
        (
            "  0: MAD output[0], none.1111, none.HHHH, none.1111;",
            "  0:  SEM_WAIT\n     MAD color[0].xyz, src0.111, src0.HHH, src0.111\n     MAD color[0].w, src0.1, src0.H, src0.1",
        ),
        (
            "  0: RCP output[0], input[0].__y_;",
            "  0: src0.xyz = input[0]\n     REPL_ALPHA color[0].xyz\n     RCP color[0].w, src0.y",
        ),
        (
            "  0: POW output[0], |input[0].xxxx|, const[0].yyyy;",
            "  0: LG2 temp[0].w, |input[0].___x|;\n  1: MUL temp[0].w, temp[0], const[0].yyyy;\n  \
          2: EX2 output[0], temp[0].wwww;",
        ),
        (
            "  0: LRP output[0], input[0], const[0], input[0].wzyx;",
            "  0: SUB temp[0], const[0], input[0].wzyx;\n  1: MAD output[0], input[0], temp[0], input[0].wzyx;",
        ),
    ] {
        let same = &findings(&log_of(a, b))[0];
        let skipped: Vec<_> = same.skipped.iter().map(|skipped| &skipped.pass).collect();
        assert_eq!(skipped, ["machine code"], "{a}\n{b}\n{:?}", same.skipped);
        // A fetch may differ in a last bit of its coordinate, so killed points are all that is left.
        if !a.contains("KIL") {
            assert_eq!(same.culprit, None, "{a}\n{b}");
        }
        // The comparison is not blind: another result is found.
        let other = format!("{a}\n 90: MOV output[0], none.H1H1;");
        assert_eq!(culprits(&log_of(&other, b)), ["a pass"], "{other}\n{b}");
    }
}

#[test]
fn what_cannot_be_interpreted_is_named_and_left_out() {
    let fine = "  0: MOV output[0], input[0];";
    for (line, token) in [
        ("  0: MOV output[0], inptu[0];", "`inptu[0]`, expected a register"),
        ("  0: MOV output[0], input[0].xyz;", "`;`, expected 4 of the selectors x y z w 0 1 H _"),
        ("  0: FLY output[0], input[0];", "`FLY`, expected an operation"),
        ("  0: MOV output[0];", "`;`, expected `,`"),
        ("  0: MOV const[0], input[0];", "`const[0]`, expected a temporary or an output"),
        (
            "  0: MOV output[0], const[addr[0] + 1];",
            "`addr[0]`, expected the number of a register, without relative addressing",
        ),
        (
            "  0: TEX output[0], input[0], 2DSHADOW[0];",
            "`2DSHADOW[0]`, expected 1D, 2D, 3D, CUBE or RECT (how a shadow is compared is not in the log)",
        ),
        ("  0: TEX output[0], input[0], 2D[16];", "`16]`, expected a texture unit from 0 to 15"),
        ("  0: MOV output[0], 1.0 (0xff).xxxx;", "`1.0`, expected the code of an inline constant"),
        (
            "  0: src0.xyz = input[0]\n     MAD color[0].xyz, src1.xyz, src0.111, src0.000",
            "`src1.xyz`, expected a source that the instruction names",
        ),
    ] {
        let found = &findings(&log_of(fine, line))[0];
        assert_eq!(found.culprit, None);
        let line = 12 + line.lines().count() - 1;
        let reason =
            found.skipped.iter().find(|skipped| skipped.pass == "a pass").map(|s| &s.reason);
        assert_eq!(reason, Some(&format!("line {line}: found {token}")));
    }
    for (block, text) in [
        ("  0: ENDIF;", "line 12: ENDIF without IF"),
        ("  0: ELSE;", "line 12: ELSE without IF"),
        ("  0: BRK;", "line 12: BRK or CONT without BGNLOOP"),
        ("  0: ENDLOOP;", "line 12: ENDLOOP without BGNLOOP"),
        ("  0: BGNLOOP;", "line 12: the listing ends inside a block"),
    ] {
        let found = &findings(&log_of(fine, block))[0];
        let reason =
            found.skipped.iter().find(|skipped| skipped.pass == "a pass").map(|s| &s.reason);
        assert_eq!(reason.map(String::as_str), Some(text));
    }
}

#[test]
fn passes_of_the_same_name_are_named_each() {
    let log = log_of("  0: MOV output[0], input[0];", "  0: ENDIF;");
    let log =
        format!("{log}Fragment Program: after 'a pass'\n# Radeon Compiler Program\n  0: ELSE;\n");
    let found = &findings(&log)[0];
    let skipped: Vec<_> = found.skipped.iter().map(|one| (&one.pass[..], one.line)).collect();
    assert_eq!(skipped, [("a pass", 10), ("a pass", 14), ("machine code", 0)]);
}

/// Only 'register allocation' moves channels, and it is no move if another fetch had them.
#[test]
fn fetches_may_be_in_another_order() {
    let [x, yz] = ["TEX temp[0].x, input[0].xy__, 2D[0];", "TEX temp[1].yz, input[0].xy__, 2D[1];"];
    let sum = "ADD output[0], temp[0].xxxx, temp[1].yzyz;";
    let listing =
        |fetches: [&str; 2]| format!("  0: {}\n  1: {}\n  2: {sum}", fetches[0], fetches[1]);
    let log = log_of(&listing([x, yz]), &listing([yz, x]));
    for name in ["pair scheduling", "register allocation"] {
        let log = format!("{log}Fragment Program: after '{name}'\n{}\n\n", listing([x, yz]));
        let found = &findings(&log)[0];
        let skipped: Vec<&str> = found.skipped.iter().map(|one| &one.pass[..]).collect();
        assert_eq!((&found.culprit, skipped), (&None, vec!["machine code"]), "{name}");
    }
}

#[test]
fn loops_that_do_not_end_are_left_out() {
    let endless = "  0: BGNLOOP;\n  1: ENDLOOP;\n  2: MOV output[0], input[0];";
    let other = endless.replace("input[0]", "const[0]");
    assert_eq!(findings(&log_of(endless, &other))[0].culprit, None);
}

#[test]
fn a_loop_that_ends_no_more_is_a_difference() {
    let ends = "  0: BGNLOOP;\n  1: BRK;\n  2: ENDLOOP;\n  3: MOV output[0], input[0];";
    let endless = ends.replace("  1: BRK;\n", "");
    let found = findings(&log_of(ends, &endless));
    let culprit = found[0].culprit.as_ref().expect("it differs");
    assert_eq!((&culprit.pass[..], &culprit.first.after[..]), ("a pass", "in a loop without end"));
    assert_eq!(findings(&log_of(&endless, ends))[0].culprit, None);
}

/// Runs `ctm mesa bisect`; the exit status, standard output and standard error.
pub fn command(args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
    let output = command.args(["mesa", "bisect"]).args(args).output().expect("ctm runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_command_names_the_pass_on_one_line() {
    let log = ours("ease_sine_in.m25/fp.log");
    let log = log.to_str().expect("a path");
    let (status, out, err) = command(&[log]);
    assert_eq!((status, err.as_str()), (Some(1), ""));
    let first =
        format!("{log}: program 0 (line 1): pass 'dataflow optimize' (line 71) changes the result");
    assert_eq!(out.lines().next(), Some(first.as_str()));
    assert!(out.contains("  after 'convert rgb<->alpha'"), "{out}");
    assert!(out.contains("> ADD temp[3].x / 4, none.1___, input[0].-x___;"), "{out}");
    let (status, out, _) = command(&[log, "--json"]);
    assert_eq!(status, Some(1));
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let program = &json["logs"][0]["programs"][0];
    assert_eq!(program["wrong"]["pass"], "dataflow optimize");
    assert_eq!(program["wrong"]["line"], 71);
    let right = ours("ease_sine_in.default/fp.log");
    let right = right.to_str().expect("a path");
    let (status, out, err) = command(&[right]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let line = "program 0 (line 1): no difference in 17 passes, 32 trials from seed 1";
    assert_eq!(out, format!("{right}: {line}\n"));
    let (status, _, err) = command(&[log, "--index", "1"]);
    let text = "index 1 is out of range: the log holds 1 program, counted from 0";
    assert_eq!((status, err), (Some(2), format!("ctm: {log}: {text}\n")));
    let source = ours("ease_sine_in.m25/source.frag");
    let source = source.to_str().expect("a path");
    let (status, _, err) = command(&[source]);
    let text = "found no `Fragment Program: ...` heading, expected a log of RADEON_DEBUG=fp";
    assert_eq!((status, err), (Some(2), format!("ctm: {source}: {text}\n")));
}

#[test]
fn a_log_that_is_cut_off_says_so() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("cut.log");
    let log = path.to_str().expect("a path");
    let whole = text(&ours("ease_sine_in.default/fp.log"));
    let cut = "found a Mesa log without machine code (cut off?), expected a line \"R500 Fragment Program:\"";
    for end in ["Fragment Program: before", "R500 Fragment"] {
        std::fs::write(&path, &whole[..whole.find(end).expect("a heading")]).expect("written");
        for args in [&["run"][..], &["info"], &["new", "x"]] {
            let mut args = args.to_vec();
            args.insert(1, log);
            let mut ctm = Command::new(env!("CARGO_BIN_EXE_ctm"));
            let output = ctm.args(&args).current_dir(dir.path()).output().expect("ctm runs");
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(
                (output.status.code(), told),
                (Some(2), format!("ctm: {log}: {cut}\n").into())
            );
        }
    }
    let (status, out, err) = command(&[log]);
    let first =
        format!("{log}: program 0 (line 1): no difference in 15 passes, 32 trials from seed 1\n");
    let out = out.strip_prefix(&first).unwrap_or_else(|| panic!("{out}"));
    // So may the last listing be.
    let (listing, code) = out.split_once('\n').expect("two lines");
    let last = "expected machine code after the last listing (cut off?)";
    assert!(listing.starts_with("  not examined: '") && listing.ends_with(last), "{out}");
    assert_eq!(code, format!("  not examined: 'machine code': {cut}\n"));
    assert_eq!((status, err.as_str()), (Some(0), ""));
    std::fs::write(&path, &whole[..whole.find("Fragment Program: before").expect("a heading")])
        .expect("written");
    assert_eq!(command(&[log]), (Some(2), String::new(), format!("ctm: {log}: {cut}\n")));
    // Of several programs, the last one may be cut off.
    std::fs::write(&path, whole.clone() + &whole[..400]).expect("written");
    let mut ctm = Command::new(env!("CARGO_BIN_EXE_ctm"));
    let output = ctm.arg("info").arg(&path).output().expect("ctm runs");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("the log ends inside another program (cut off?)"), "{out}");
}

#[test]
fn the_command_says_which_line_of_a_listing_cannot_be_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("fp.log");
    let whole = text(&ours("ease_sine_in.default/fp.log"));
    let at = whole.find("after 'register rename'").expect("the pass");
    let (head, tail) = whole.split_at(at);
    let damaged = head.to_string() + &tail.replacen("FRC", "FLY", 1);
    let number = 1 + damaged.lines().position(|line| line.contains("FLY")).expect("the line");
    std::fs::write(&log, damaged).expect("written");
    let log = log.to_str().expect("a path");
    let expected = format!(
        "{log}: program 0 (line 1): no difference in 16 passes, 32 trials from seed 1\n  not examined: \
         'register rename' (line 71): line {number}: found `FLY`, expected an operation\n"
    );
    assert_eq!(command(&[log]), (Some(0), expected, String::new()));
}

#[test]
fn a_job_of_another_program_is_refused() {
    let [log, job] = ["ease_sine_in.m25/fp.log", "ease_sine_in.default/job.toml"].map(ours);
    let [log, job] = [&log, &job].map(|path| path.to_str().expect("a path"));
    let (status, out, err) = command(&[log, "--job", job]);
    let program = ours("ease_sine_in.default/default.hex");
    let expected = format!(
        "ctm: {log}: program 0: {job}: it runs another program: instruction 0 of {} is not that of \
         the log\n",
        program.display()
    );
    assert_eq!((status, out.as_str(), err), (Some(2), "", expected));
}

#[test]
fn a_search_ends_at_its_time_limit() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("endless.log");
    let endless = "  0: BGNLOOP;\n  1: ENDLOOP;\n  2: MOV output[0], input[0];";
    std::fs::write(&path, log_of(endless, endless)).expect("written");
    let log = path.to_str().expect("a path");
    let (status, out, err) = command(&[log, "--limit", "1000000000000", "--timeout", "0.2"]);
    let expected = format!("ctm: {log}: program 0: stopped after 0.2 s (--timeout)\n");
    assert_eq!((status, out.as_str(), &err), (Some(1), "", &expected));
    // What is done is printed.
    let (status, out, err) =
        command(&[log, "--limit", "1000000000000", "--timeout", "0.2", "--json"]);
    assert_eq!((status, err), (Some(1), expected));
    let object: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let log = serde_json::json!({ "log": log, "vertex_programs": 0, "programs": [] });
    let done = serde_json::json!({ "stopped": true, "logs": [log], "not_examined": [] });
    assert_eq!(object, done);
}
