//! Statements from the Guide's rows and from Mesa, and everything that is refused.

use super::*;

const OUT: &str = "mov o0, r0\nend";

fn check(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let source = format!("{source}\n{OUT}");
        assert_eq!(sketch(&source), *expected, "{source}");
    }
}

#[test]
fn branches() {
    check(&[
        ("mov r1, r0\nmov r2, r0", "0-3"),
        ("if alu_result\nmov r1, r0\nendif", "if alu_result {1} 3-4"),
        ("if !p.g\nmov r1, r0\nelse\nmov r2, r0\nendif", "if !p.g {1} else {3} 5-6"),
        (
            "if alu_result\nif p.r\nmov r1, r0\nendif\nmov r2, r0\nendif",
            "if alu_result {if p.r {2} 4} 6-7",
        ),
        ("if alu_result & p.r\nelse\nmov r1, r0\nendif", "if alu_result & p.r {} else {2} 4-5"),
        // Nested IFs that end together, with one instruction and with several.
        ("if p.r\nmov r1, r0\nif p.g\nmov r2, r0\nendif 2", "if p.r {1 if p.g {3}} 5-6"),
        ("if p.r\nif p.g\nif p.b\nmov r2, r0\nendif 3", "if p.r {if p.g {if p.b {3}}} 5-6"),
        ("if p.r\nif p.g\nmov r2, r0\nendif\nendif", "if p.r {if p.g {2}} 5-6"),
        // The inner one jumps past both ENDIFs.
        (
            "jump -> 5 if !p.r @stay(INCR)\njump -> 5 if !p.g @stay(INCR) @jump(DECR) @count(1)\n\
             mov r2, r0\njump -> 0 if never @any @stay(DECR) @count(1)\n\
             jump -> 0 if never @any @stay(DECR) @count(1)",
            "if p.r {if p.g {2}} 5-6",
        ),
    ]);
}

#[test]
fn loops() {
    check(&[
        ("rep 4\nmov r1, r0\nendrep", "rep 4 {1} 3-4"),
        ("loop (5, 10, -2)\nmov r1, r0\nendloop", "loop 5 from 10 by -2 {1} 3-4"),
        (
            "rep 4\nmov r1, r0\nbreak if alu_result\nmov r2, r0\nendrep",
            "rep 4 {1 break if alu_result 3} 5-6",
        ),
        (
            "loop 4\nif p.r\nmov r1, r0\nif p.g\nbreak\nendif\nendif\nendloop",
            "loop 4 from 0 by 1 {if p.r {2 if p.g {break}}} 8-9",
        ),
        (
            "rep 3\nrep 2\nif p.r\ncontinue\nendif\nmov r1, r0\nendrep\nbreak if p.g\nendrep",
            "rep 3 {rep 2 {if p.r {continue} 5} break if p.g} 9-10",
        ),
        // A constant of 0 leaves a loop out.
        ("rep n3\nmov r1, r0\nendrep\nmov r2, r0", "3-5"),
    ]);
}

#[test]
fn subroutines() {
    for (source, expected) in [
        ("call sub\nmov r1, r0\ncall sub\nmov o0, r1\nend\nsub:\nmov r1, r1\nret", "5 1 5 3-4"),
        ("call sub if p.r\nmov o0, r1\nend\nsub:\nmov r1, r1\nret", "if p.r {3} 1-2"),
        (
            "call sub\nmov o0, r1\nend\nsub:\nmov r1, r1\nret if alu_result\nmov r2, r1\n\
             ret if p.g\nmov r3, r1\nret",
            "3 if !alu_result {5 if !p.g {7}} 1-2",
        ),
        (
            "rep 2\ncall sub if !alu_result\nendrep\nmov o0, r1\nend\n\
             sub:\ncall deep\nret if p.a\nmov r1, r0\nret\ndeep:\nmov r2, r0\nret",
            "rep 2 {if !alu_result {9 if !p.a {7}}} 3-4",
        ),
    ] {
        let text = sketch(source);
        assert_eq!(text, expected, "{source}");
    }
}

#[test]
fn boolean_constants_decide() {
    let source = format!("if b4\nmov r1, r0\nelse\nmov r2, r0\nendif\n{OUT}");
    let lowered = lowered(&source);
    for (bools, expected) in [(1 << 4, "1 5-6"), (0, "3 5-6")] {
        let tree = recover(&lowered, &counts(1), bools).expect("regular");
        assert_eq!(tree.to_string(), expected);
    }
}

#[test]
fn masks_of_mesa() {
    // IF, ELSE, ENDIF, LOOP, BREAKLOOP and ENDLOOP as Mesa writes them.
    check(&[(
        "jump -> 3 if !alu_result @alu_wait @ignore_uncovered @stay(INCR) @jump(INCR)\n\
             mov r1, r0\n\
             jump -> 5 if never @alu_wait @else @jump(DECR) @count(1)\n\
             mov r2, r0\n\
             jump -> 5 if never @alu_wait @any @stay(DECR) @count(1)",
        "if alu_result {1} else {3} 5-6",
    )]);
}

#[test]
fn loops_of_mesa() {
    let source = format!(
        "loop n0 -> 6 if never @ignore_uncovered\n\
         mov r1, r0\n\
         jump -> 5 if !alu_result @ignore_uncovered @stay(INCR)\n\
         breakloop -> 7 @ignore_uncovered @jump(DECR) @count(1)\n\
         jump -> 5 if never @any @stay(DECR) @count(1)\n\
         mov r2, r0\n\
         endloop n0 -> 1 @any @ignore_uncovered\n{OUT}"
    );
    let tree = recover(&lowered(&source), &counts(255), 0).expect("regular");
    assert_eq!(tree.to_string(), "loop 255 from 0 by 1 {1 if alu_result {break} 5} 7-8");
    assert_eq!(tree.ignoring, Some(2));
    assert!(!tree.spins);
}

#[test]
fn what_is_no_statement_is_refused() {
    for (source, expected) in [
        (
            "jump -> 3 if !p.r @stay(INCR)\nmov r1, r0\n\
             jump -> 0 if never @any @stay(DECR) @count(1)\nmov r2, r0\njump -> 2 if !p.r @stay(INCR)\n\
             mov r1, r0\njump -> 0 if never @any @stay(DECR) @count(1)",
            "the flow control at pc 4 is irregular: its target is not where the skipped points \
             wake up",
        ),
        (
            "jump -> 2 if p.r\nmov r1, r0",
            "the flow control at pc 0 is irregular: points that wish to jump stay awake if the \
             group stays",
        ),
        (
            "jump -> 2 if p.r @any @stay(INCR)\nmov r1, r0",
            "the flow control at pc 0 is irregular: an IF with JUMP_ANY",
        ),
        ("mov r1, r0\njump -> 0", "the flow control at pc 1 is irregular: it jumps back"),
        (
            "jump -> 4 if !p.r @stay(INCR)\nmov r1, r0",
            "the flow control at pc 3 is irregular: the program ends inside a statement",
        ),
        (
            "jump -> 0 if never @any @stay(DECR) @count(1)",
            "the flow control at pc 0 is irregular: it ends more branches than there are",
        ),
        (
            "jump -> 2 if never @else @jump(DECR) @count(1)\nmov r1, r0",
            "the flow control at pc 0 is irregular: an ELSE without an IF",
        ),
        (
            "jump -> 0 @address(POP)",
            "the flow control at pc 0 is irregular: a return without a call",
        ),
        (
            "endrep n0 -> 0 @any",
            "the flow control at pc 0 is irregular: the end of a loop without its beginning",
        ),
        ("breakrep -> 1", "the flow control at pc 0 is irregular: it is in no loop"),
    ] {
        let source = format!("{source}\n{OUT}");
        let text = sketch(&source);
        assert_eq!(text, expected, "{source}");
    }
}

#[test]
fn a_subroutine_that_calls_itself_is_refused() {
    let text = sketch("call sub\nmov o0, r0\nend\nsub:\ncall sub\nret");
    assert_eq!(text, "calls nest deeper than 32 at pc 3");
}

#[test]
fn branches_nest_as_deep_as_counters_count() {
    let nested = |depth: usize| {
        let heads = "jump -> 80 if !p.r @stay(INCR)\n".repeat(depth);
        sketch(&format!("{heads}{OUT}"))
    };
    assert!(nested(32).contains("inside a statement"), "{}", nested(32));
    assert_eq!(nested(33), "branches nest deeper than 32 at pc 32");
}

#[test]
fn bounds_count_each_round_of_a_loop() {
    let source = format!(
        "rep n0\nif p.r\nmov r1, r0\nelse\nmov r2, r0\nendif\nrep n1\nmov r3, r0\nendrep\nendrep\n{OUT}"
    );
    let tree = recover(&lowered(&source), &counts(3), 0).expect("regular");
    // An iteration: 5 of the IF and its branches, 1 + 3 * 2 of the inner loop, the ENDREP.
    assert_eq!(tree.bound, 1 + 3 * (5 + 1 + 6 + 1) + 2);
    assert_eq!(tree.once, 1 + 5 + 1 + 2 + 1 + 2);
    // Budgets are compared before flow control. The last flow control is the outer ENDREP.
    assert_eq!(tree.checked, tree.bound - 3);
    assert_eq!(tree.iterations, 3 + 9);
}
