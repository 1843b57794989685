//! Stacks that are deeper than any documented chip has, and flow control that needs the full mode.

use super::{Finding, Subject, at};
use crate::diagnose::code::Code;
use crate::isa::{AddressOp, Body, FcOp};
use crate::program::Program;

/// Entries of the address stack and frames of the loop stack that a program may rely on: the limits
/// of shader model 3.
const STACKS: u32 = 4;

/// Branches that may enclose an instruction under partial flow control \[G 34\].
const BRANCHES: u32 = 6;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let registers = subject.program.registers();
    let partial = !registers.full_flow_control();
    let mut findings = Vec::new();
    for node in &subject.paths.nodes {
        for next in node.next.iter().map(|&next| &subject.paths.nodes[next]) {
            let passes = |n: usize, limit: u32| node.depth[n] == limit && next.depth[n] > limit;
            for (n, what, label) in [(0, "calls", "the fifth call"), (1, "loops", "the fifth loop")]
            {
                if passes(n, STACKS) {
                    findings.push(
                        at(
                            Code::DeepStack,
                            node.pc,
                            what,
                            format!("{what} nest more than {STACKS} deep"),
                        )
                        .label(label)
                        .note(None, "the depth of the stacks is not documented; 4 is the limit of shader model 3"),
                    );
                }
            }
            if partial && passes(2, BRANCHES) {
                findings.push(
                    at(
                        Code::DeepBranches,
                        node.pc,
                        "",
                        format!(
                            "branches nest more than {BRANCHES} deep under partial flow control"
                        ),
                    )
                    .label("the seventh branch")
                    .help("set FULL_FC_EN of US_FC_CTRL, or move a branch into a predicate"),
                );
            }
        }
    }
    if partial {
        findings.extend(needs_full(subject.program));
    }
    findings
}

/// Loops and subroutines, which partial flow control does not have.
fn needs_full(program: &Program) -> impl Iterator<Item = Finding> {
    program.instructions().iter().zip(0..).filter_map(|(instruction, pc)| {
        let Body::Fc(fc) = &instruction.body else { return None };
        let what = match fc.op {
            FcOp::Loop | FcOp::Rep => "loop",
            FcOp::Jump if fc.a_op == AddressOp::Push => "call",
            FcOp::Jump | FcOp::EndLoop | FcOp::EndRep => return None,
            FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue => return None,
        };
        Some(
            at(Code::NeedsFullFlow, pc, "", format!("a {what} under partial flow control"))
                .label(format!("this {what} needs full flow control"))
                .help("set FULL_FC_EN of US_FC_CTRL, bit 31"),
        )
    })
}
