//! Stacks that are deeper than any documented chip has, and flow control that needs the full mode.

use super::pcs::Pcs;
use super::{Finding, Subject, at};
use crate::check::code::Code;
use ctm_isa::isa::{AddressOp, Body, FcOp};
use ctm_lang::program::Program;

/// Entries of the address stack and frames of the loop stack that a program may rely on: the limits
/// of shader model 3.
const STACKS: u32 = 4;

/// Branches that may enclose an instruction under partial flow control \[G 34\].
const BRANCHES: u32 = 6;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let registers = subject.program.registers();
    let partial = !registers.full_flow_control();
    let limits = [STACKS, STACKS, if partial { BRANCHES } else { u32::MAX }];
    // The instructions that exceed each limit.
    let mut beyond = [Pcs::default(); 3];
    for node in &subject.paths.nodes {
        for next in node.next.iter().map(|&next| &subject.paths.nodes[next]) {
            for (n, limit) in limits.into_iter().enumerate() {
                if node.depth[n] == limit && next.depth[n] > limit {
                    beyond[n].insert(node.pc);
                }
            }
        }
    }
    let [calls, loops, branches] = beyond;
    let stacks = [("calls", "the fifth call", calls), ("loops", "the fifth loop", loops)];
    let stacks = stacks.into_iter().flat_map(|(what, label, pcs)| {
        pcs.iter().map(move |pc| {
            at(Code::DeepStack, pc, what, format!("{what} nest more than {STACKS} deep"))
                .label(label)
                .note(
                    None,
                    "the depth of the stacks is not documented; 4 is the limit of shader model 3",
                )
        })
    });
    let branches = branches.iter().map(|pc| {
        let message = format!("branches nest more than {BRANCHES} deep under partial flow control");
        at(Code::DeepBranches, pc, "", message)
            .label("the seventh branch")
            .help("set FULL_FC_EN of US_FC_CTRL, or move a branch into a predicate")
    });
    let mut findings: Vec<Finding> = stacks.chain(branches).collect();
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
