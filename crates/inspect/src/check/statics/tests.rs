//! The checks of programs that were made to be as much work as possible.

use super::dataflow::MOST_VISITS;
use super::paths::{MOST_NODES, Node, Paths};
use super::pcs::Pending;
use super::*;
use crate::check::report::{FileReport, Named, json, texts};
use ctm_lang::asm::assemble;
use std::mem::size_of;

const FETCH: &str = "ld r[aL].gba, i0[r0.rr] @!wait @!acquire\n";

fn program(source: &str) -> Program {
    let image = assemble(source, "worst.dpp").unwrap_or_else(|e| panic!("{}", e.render(false)));
    Program::new(image).expect("valid")
}

/// Subroutines that call the next one twice each, `depth` deep, the last of which has `body`.
fn calls(depth: u32, body: &str) -> String {
    let mut source = "loop 255\ncall s0\nendloop\nmov o0, r0\nend\n".to_string();
    for k in 0..depth {
        source += &format!("s{k}:\ncall s{0}\ncall s{0}\nret\n", k + 1);
    }
    source + &format!("s{depth}:\n{body}ret\n")
}

/// Jumps over every third instruction, so that ways of many lengths lead to each.
fn ladder(count: u32) -> String {
    let line = |n: u32| match n % 2 {
        0 => format!("l{n}:\nld r{}, i0[r0.rg] @!wait @!acquire\n", n % 128),
        _ => format!("l{n}:\njump -> l{} if b{}\n", (n + 3).min(count - 1), n % 32),
    };
    (0..count).map(line).collect()
}

/// Loops of jumps, each around all the next ones.
fn nested(count: u32) -> String {
    let head = |n| format!("h{n}:\njump -> x{n} if b{}\nld r{n}, i0[r0.rg] @!wait\n", n % 32);
    let heads = (0..count).map(head);
    let tails = (0..count).rev().map(|n| format!("jump -> h{n}\nx{n}:\n"));
    heads.chain(tails).collect()
}

/// `count` instructions that jump to one place, from which as many others are reached.
fn star(count: u32, from: &str, to: &str) -> String {
    let jumps =
        |to: &'static str| (0..count).map(move |n| format!("jump -> {to}{n} if b{}\n", n % 32));
    let first = (0..count).map(|n| format!("f{n}:\n{from}\njump -> middle\n"));
    let second = (0..count).map(|n| format!("t{n}:\n{to}\n"));
    let first = jumps("f").chain(first).chain(["middle:\n".to_string()]);
    first.chain(jumps("t")).chain(second).collect()
}

/// Jumps, each back to the one before it, which are entered at both ends.
fn backwards(count: u32) -> String {
    let wait = "@!alu_wait @!wait";
    let jump = |n: u32| format!("h{n}:\njump -> h{} if b{} {wait}\n", n - 1, n % 30);
    let jumps: String = (1..count - 1).map(jump).collect();
    let last = count - 1;
    format!(
        "jump -> w if b0 {wait}\njump -> h{last} {wait}\nw:\nld r5, i0[r0.rg] @!wait @!acquire\n\
         h0:\njump -> exit if b1 {wait}\n{jumps}h{last}:\njump -> h{} {wait}\nexit:\n",
        last - 1
    )
}

/// The same with an instruction before each jump, so that each step back is followed by one ahead.
fn zigzag(count: u32) -> String {
    let mut source = backwards(count);
    for n in 1..count - 1 {
        let fetch = format!("h{n}:\nld r{}, i0[r0.rg] @!wait @!acquire\n", 10 + n % 100);
        source = source.replacen(&format!("h{n}:\n"), &fetch, 1);
    }
    source
}

fn worst() -> Vec<String> {
    let end = "mov r[aL], r[aL]\nmov o0, r0\nend\n";
    let of_relative = "ld r[aL].rg, i0[r[aL].rr] @!wait @!acquire\n".repeat(500);
    vec![
        format!("loop 255\n{}endloop\nmov o0, r0\nend\n", FETCH.repeat(500)),
        format!("loop 255\n{of_relative}endloop\nmov o0, r0\nend\n"),
        calls(6, &FETCH.repeat(250)),
        calls(12, &FETCH.repeat(400)),
        calls(6, &ladder(200)),
        calls(5, &star(60, "mov r1, c0 @!nop", "mov r2, 1-r1")),
        ladder(490) + end,
        calls(7, &nested(120)),
        calls(7, &backwards(460)),
        calls(7, &zigzag(236)),
        star(99, "mov r1, c0 @!nop", "mov r2, 1-r1") + end,
        star(99, "sub alu_result<0, r0.r, c0.r", "jump -> t0 if alu_result @!alu_wait") + end,
        format!(
            ".umrt\n{}end\n",
            star(80, "mov o0.rgb, r1 | mov o0.a, 0", "ld r2, i0[r0.rg] @!wait")
        ),
        format!(".sharing clause=15\n{}end\n", star(99, "mov ct0, r0", "add r1, ct0, ct1")),
        "sub p<0, r0, c0\n".repeat(250)
            + &"jump -> e if p.r @!alu_wait\n".repeat(250)
            + "e:\n"
            + end,
        "add r1.rgb, r0, c0 | add r2.a, r0.a, c0.a\n".repeat(511) + "end\n",
    ]
}

/// The states that are kept for each node of the largest program.
#[test]
fn states_are_small() {
    let states = [
        size_of::<Pending>(),
        size_of::<alu_result::Results>(),
        size_of::<clauses::Written>(),
        size_of::<unused::Live>(),
    ];
    assert!(states.iter().all(|size| size * MOST_NODES <= 32 << 20), "{states:?} bytes");
}

/// A few times, or up to the bound in two programs.
#[test]
fn a_state_is_carried_a_few_times_to_each_node() {
    for source in worst() {
        let program = program(&source);
        let paths = Paths::of(&program);
        assert!(paths.nodes.len() <= MOST_NODES);
        // All instructions on the ways to a node.
        let (start, stop) = (Pending::default(), Stop::never());
        let mut visits = [0u64; 2];
        let mut visit = |n: usize, pc: u32, pending: &mut Pending| {
            pending.begin(pc);
            visits[n] += 1;
        };
        let forward = |node: &Node, pending: &mut Pending| visit(0, node.pc, pending);
        paths.forward(start, start, forward, stop).expect("not stopped");
        let back = |node: &Node, pending: &mut Pending| visit(1, node.pc, pending);
        paths.backward(start, start, back, stop).expect("not stopped");
        let turns = source.contains("x119:") || source.contains("h234:\nld");
        assert_eq!(paths.gave_up.get(), turns, "{source}");
        let most = if turns { MOST_VISITS } else { 5 * paths.nodes.len() as u64 };
        assert!(visits.iter().all(|visits| *visits <= most), "{visits:?} of {most}:\n{source}");
    }
}

/// A stop ends the way of states through a program, not only the checks between them.
#[test]
fn a_stop_ends_the_visits_of_nodes() {
    let program = program(&calls(7, &backwards(460)));
    let (paths, stop) = (Paths::of(&program), Stop::new());
    let start = Pending::default();
    let mut visits = 0;
    let step = |_: &Node, _: &mut Pending| {
        visits += 1;
        stop.stop();
    };
    let stopped = paths.forward(start, start, step, &stop);
    assert_eq!(stopped.map(|_| ()), Err(Stopped::Cancelled));
    assert!(visits < paths.nodes.len(), "{visits}");
}

#[test]
fn reports_grow_no_faster_than_programs() {
    for source in worst() {
        let program = program(&source);
        let findings = run(&program, None, Stop::never()).expect("not stopped");
        let findings = findings.into_iter().map(|finding| (finding.code.severity(), finding));
        let program = Arc::new(program);
        let count = program.instructions().len();
        let name = "worst.dpp".to_string();
        let programs = vec![Named { name: name.clone(), program }];
        let report = FileReport {
            file: name,
            programs,
            findings: findings.collect(),
            reads_before_writing: Vec::new(),
        };
        assert!(report.findings.len() <= 3 * count, "{}:\n{source}", report.findings.len());
        let sizes =
            [texts(&report, false).map(|text| text.len()).sum(), json(&[report]).to_string().len()];
        assert!(sizes.iter().all(|size| *size <= 3000 * count), "{sizes:?}:\n{source}");
    }
}

#[test]
fn a_note_says_that_paths_were_cut() {
    let found = |depth, body: &str| {
        let program = program(&calls(depth, body));
        let findings = run(&program, None, Stop::never()).expect("not stopped");
        findings.into_iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    let fetches = FETCH.repeat(250);
    assert!(!found(6, &fetches).contains(&Code::TooManyPaths));
    assert!(found(9, &fetches).contains(&Code::TooManyPaths));
    // What was not followed to the end says nothing about results.
    let zigzag = found(7, &zigzag(236));
    assert!(zigzag.contains(&Code::TooManyPaths) && !zigzag.contains(&Code::UnusedResult));
}

#[test]
fn a_stop_ends_the_checks() {
    let stop = Stop::new();
    stop.stop();
    let stopped = run(&program("mov o0, r0\n"), None, &stop);
    assert_eq!(stopped.map(|_| ()), Err(Stopped::Cancelled));
}
