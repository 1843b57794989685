//! `ctm mesa bisect --prove`: right logs accuse no pass, and wrong passes are found.

use super::mesa_bisect::{command, log_of, ours, text};
use ctm::engine::Stop;
use ctm::mesa::log;
use ctm::mesa::proofs::{Proofs, prove};
use ctm_prove::{Answer, Options};
use ctm_testing::files;

fn proofs(text: &str) -> Vec<Proofs> {
    let options = Options { refines: true, ..Options::default() };
    let prove = |program| prove(program, &options, Stop::never()).expect("not stopped");
    log::read(text).iter().map(prove).collect()
}

/// The answer about the pass of [`log_of`].
fn answer(before: &str, after: &str) -> Answer {
    proofs(&log_of(before, after)).remove(0).compared.remove(0).answer
}

fn is_different(answer: &Answer) -> bool {
    matches!(answer, Answer::Different { .. })
}

#[test]
fn right_logs_accuse_no_pass_and_wrong_passes_are_found() {
    let Some(vectors) = files::collection() else {
        return;
    };
    let mut logs = files::files(&vectors.join("mesa-dumps"), "txt");
    logs.extend(files::files(&vectors.join("mesa-bugs"), "log"));
    assert!(logs.len() >= 20, "{logs:?}");
    let (mut wrong, mut all, mut proved) = (Vec::new(), 0, 0);
    for path in logs {
        for proofs in proofs(&text(&path)) {
            assert_eq!(proofs.skipped, [], "{}", path.display());
            if let Some(culprit) = proofs.culprit() {
                let folder = path.parent().and_then(|folder| folder.file_name());
                let folder = folder.expect("a folder").to_string_lossy().into_owned();
                wrong.push(format!("{folder}: {}", culprit.pass));
            }
            let right = proofs.compared.iter().filter(|one| !is_different(&one.answer));
            all += right.clone().count();
            proved += right.filter(|one| one.answer == Answer::Proved).count();
        }
    }
    wrong.sort();
    let expected = [
        "ease_sine_in.m25: dataflow optimize",
        "ease_sine_in_out.m25: dataflow optimize",
        "glt_rectangle.default: dataflow optimize",
        "glt_rectangle.m25: dataflow optimize",
        "vispy_misc_regular_grid.m25: machine code",
    ];
    assert_eq!(wrong, expected);
    assert!(proved * 100 >= all * 99, "{proved} of {all}");
}

#[test]
fn a_pass_that_only_rounds_differently_is_not_accused() {
    let answer = answer(
        "  0: ADD temp[0], input[0], const[0];\n  1: MUL output[0], temp[0], const[1];",
        "  0: MUL temp[0], input[0], const[1];\n  1: MAD output[0], const[0], const[1], temp[0];",
    );
    assert!(matches!(answer, Answer::EqualUpToRounding { .. }), "{answer:?}");
}

/// Only one input of 2^32 shows it.
#[test]
fn a_pass_is_not_proved_by_what_samples_show() {
    let answer = answer(
        "  0: ADD temp[0].x, input[0].x___, -const[0].x___;\n  \
         1: CMP output[0], -|temp[0].xxxx|, input[0], none.1111;",
        "  0: MOV output[0], input[0];",
    );
    assert_ne!(answer, Answer::Proved);
}

#[test]
fn what_is_undefined_before_may_change_and_what_is_defined_may_not() {
    let right = "  0: MOV output[0], input[0];";
    for open in [
        "  0: MOV output[0], temp[7];",
        "  0: ADD output[0], temp[7], input[0];",
        "  0: IF temp[7].xxxx;\n  1:   MOV output[0], const[0];\n  2: ELSE;\n  3:   MOV output[0], none.0000;\n  4: ENDIF;",
    ] {
        assert_eq!(answer(open, right), Answer::Proved, "{open}");
    }
    // One side of a choice is undefined, the other counts.
    let half = "  0: SGE temp[0].x, input[0].x___, none.0___;\n  1: IF temp[0].xxxx;\n  \
                2:   MOV output[0], input[0];\n  3: ELSE;\n  4:   MOV output[0], temp[9];\n  5: ENDIF;";
    assert_eq!(answer(half, right), Answer::Proved);
    assert!(is_different(&answer(half, "  0: MOV output[0], const[0];")));
    assert!(is_different(&answer(right, "  0: MOV output[0], temp[7];")));
    assert!(is_different(&answer(right, "  0: MOV output[0].xyz, input[0];")));
    assert!(is_different(&answer(
        right,
        &format!("  0: KIL input[0];\n{}", &right.replace("0:", "1:"))
    )));
}

#[test]
fn loops_are_unrolled_and_one_without_end_is_open() {
    let ends = "  0: MOV temp[0], none.0000;\n  1: BGNLOOP;\n  2:   ADD temp[0], temp[0], none.1111;\n  \
                3:   SUB none., temp[0].x___, 6.000000 (0x4c).w___; [aluresult = (x < 0)]\n  \
                4:   IF aluresult.x___;\n  5:     CONT;\n  6:   ENDIF;\n  7:   BRK;\n  8: ENDLOOP;\n  \
                9: MUL output[0], temp[0], input[0];";
    let six = "  0: MUL output[0], input[0], 6.000000 (0x4c).wwww;";
    assert_eq!(answer(ends, six), Answer::Proved);
    let endless = "  0: BGNLOOP;\n  1: ENDLOOP;\n  2: MOV output[0], input[0];";
    assert!(is_different(&answer(six, endless)));
    assert_eq!(answer(endless, six), Answer::Proved);
}

/// Loops whose ends depend on the point, in fewer steps than all their iterations would take.
#[test]
fn loops_of_equal_shape_are_proved_and_others_are_not() {
    let options = Options { refines: true, steps: 100_000, ..Options::default() };
    let is_proved = |before: &str, after: &str| {
        let log = log_of(before, after);
        let program = &log::read(&log)[0];
        let proofs = prove(program, &options, Stop::never()).expect("not stopped");
        // The text has no machine code.
        assert_eq!(proofs.skipped.len(), 1, "{:?}", proofs.skipped);
        proofs.compared[0].answer == Answer::Proved
    };
    let text = |lines: &[&str]| {
        let numbered = lines.iter().enumerate().map(|(n, line)| format!("  {n}: {line};"));
        numbered.collect::<Vec<_>>().join("\n")
    };
    let below = "SUB none., temp[0].x___, input[1].x___; [aluresult = (x < 0)]";
    let step = "MAD temp[0], temp[0], temp[0], input[2]";
    let outer = "SUB none., temp[1].x___, input[1].y___; [aluresult = (x < 0)]";
    let leave = ["IF aluresult.x___", "BRK", "ENDIF"];
    let inner = |test: &str, step: &str| {
        let lines = ["BGNLOOP", test, leave[0], leave[1], leave[2], step, "KIL temp[0]", "ENDLOOP"];
        lines.map(str::to_string).to_vec()
    };
    let program = |start: &str, inner: Vec<String>, last: &str| {
        let mut lines = vec![start, "MOV temp[1], input[0]", "BGNLOOP", outer];
        lines.extend(leave);
        lines.extend(inner.iter().map(String::as_str));
        lines.extend(["ADD temp[1], temp[1], temp[0]", "ENDLOOP", last]);
        text(&lines).replace("(x < 0)];", "(x < 0)]")
    };
    let (start, last) = ("MOV temp[0], input[0]", "MUL output[0], temp[1], temp[0]");
    let all = program(start, inner(below, step), last);
    let renamed = all.replace("temp[0]", "temp[7]").replace("temp[1]", "temp[0]");
    let copied = inner(below, "MOV temp[4], temp[0]; ;MAD temp[0], temp[4], temp[0], input[2]");
    let copied = program(start, copied, last).replace("; ;", ";\n  0: ");
    for same in [&renamed, &copied] {
        assert!(is_proved(&all, same), "{same}");
    }
    // The step before the test.
    let later = |text: &str| {
        text.replacen(step, "NOP", 1).replacen(below, &format!("{step};\n 0: {below}"), 1)
    };
    let others = [
        program("MOV temp[0], input[3]", inner(below, step), last),
        program(start, inner(below, step), "MUL output[0], temp[1], temp[1]"),
        all.replace("input[1].x___", "input[1].z___"),
        all.replace("(x < 0)", "(x >= 0)"),
        all.replace("temp[0], input[2]", "temp[0], input[3]"),
        all.replace("KIL temp[0]", "KIL temp[1]"),
        all.replace("KIL temp[0]", "NOP"),
        all.replace("ADD temp[1], temp[1], temp[0]", "ADD temp[1], temp[1], input[0]"),
        later(&all),
    ];
    for other in others {
        assert_ne!(other, all);
        assert!(!is_proved(&all, &other), "{other}");
    }
}

#[test]
fn the_command_has_a_status_for_each_answer() {
    let [right, wrong] = ["ease_sine_in.default/fp.log", "ease_sine_in.m25/fp.log"].map(ours);
    let [right, wrong] = [&right, &wrong].map(|path| path.to_str().expect("a path"));
    let (status, out, err) = command(&[right, "--prove"]);
    let line = format!("{right}: program 0 (line 1): 16 passes proved\n");
    assert_eq!((status, out, err.as_str()), (Some(0), line, ""));
    let (status, out, _) = command(&[wrong, "--prove"]);
    assert_eq!(status, Some(1));
    assert!(
        out.contains(
            "pass 'dataflow optimize' (line 71) changes the result; before it 6 passes proved"
        ),
        "{out}"
    );
    let (status, out, _) = command(&[wrong, "--prove", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &object["programs"][0]["wrong"]["line"]), (Some(1), &71.into()));
    assert_eq!(object["programs"][0]["passes"][6]["answer"], "different");
    // A listing that cannot be read.
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("fp.log");
    let listing = "  0: MOV output[0], input[0];";
    std::fs::write(&path, log_of(listing, "  0: FLY output[0];")).expect("written");
    let (status, out, _) = command(&[path.to_str().expect("a path"), "--prove"]);
    assert_eq!(status, Some(3), "{out}");
}
