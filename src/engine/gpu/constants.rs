//! The numbers that the shaders share with the host. `shaders/constants.wgsl` is generated here.
//!
//! Everything about the instruction set and the lowered form comes from their own tables.

use super::encode;
use crate::engine::FaultCode;
use crate::isa::{AddressOp, BRANCH_LIMIT, BranchOp, FcOp, FieldValue, OUTPUTS, STACK_DEPTH};
use crate::launch::Test;
use crate::lower::{FetchBits, Flow, GateBits, NO_ROW};
use crate::ops::{Calc, Encoding, Feature, General, Op};
use std::fmt::Write as _;

/// Faults in the order in which shaders number them: first those of a point, then those of a group.
pub const FAULTS: [(&str, FaultCode); 15] = [
    ("INPUT", FaultCode::InputOutsideMemory),
    ("ALPHA", FaultCode::UncachedAlpha),
    ("UNCACHED_SURFACE", FaultCode::UncachedOutsideSurface),
    ("UNCACHED_MEMORY", FaultCode::UncachedOutsideMemory),
    ("OUTPUT_SURFACE", FaultCode::OutputOutsideSurface),
    ("OUTPUT_MEMORY", FaultCode::OutputOutsideMemory),
    ("CONDITION_SURFACE", FaultCode::ConditionOutsideSurface),
    ("CONDITION_MEMORY", FaultCode::ConditionOutsideMemory),
    ("BUDGET", FaultCode::Budget),
    ("ADDRESS_OVERFLOW", FaultCode::AddressStackOverflow),
    ("ADDRESS_UNDERFLOW", FaultCode::AddressStackUnderflow),
    ("LOOP_OVERFLOW", FaultCode::LoopStackOverflow),
    ("LOOP_UNDERFLOW", FaultCode::LoopStackUnderflow),
    ("BRANCH_OVERFLOW", FaultCode::BranchCounterOverflow),
    ("MISSING", FaultCode::MissingInstruction),
];

/// The number of [`FAULTS`] that are faults of a point.
pub const POINT_FAULTS: u32 = 8;

/// A position in `code` that means "none".
pub const NO_TABLE: u32 = u32::MAX;

/// Words before the launches' records in `results`: entries logged, groups that rest, cut.
pub const RESULT_LAUNCHES: u32 = 4;
/// Word of `results`: the number of log entries, including those that found no room.
pub const RESULT_LOGGED: u32 = 0;
/// Word of `results`: the number of unfinished groups.
pub const RESULT_RESTING: u32 = 1;
/// Word of `results`: not 0 if the driver ended a loop of the interpreter early.
pub const RESULT_CUT: u32 = 2;
/// The number of words in a launch's record.
pub const RESULT_WORDS: u32 = 24;
/// Word of a record: groups that ran.
pub const RESULT_GROUPS: u32 = 0;
/// Word of a record: points covered at the start.
pub const RESULT_POINTS: u32 = 1;
/// Word of a record: inputs from which another point's element was fetched, bit n.
pub const RESULT_FOREIGN: u32 = 2;
/// Words of a record: ALU, OUT, TEX, fetching TEX, FC, divergent FC instructions; two words each.
pub const RESULT_COUNTED: u32 = 4;
/// Words of a record: lane instructions, fetches, killed points; two words each.
pub const RESULT_SUMS: u32 = 16;

/// The number of words in an entry of the log.
pub const LOG_WORDS: u32 = 9;
/// Entry of the log: an uncached write.
pub const LOG_UNCACHED: u32 = 0;
/// Entry of the log: a write of an output.
pub const LOG_OUTPUT: u32 = 1;
/// Entry of the log: a write of the conditional buffer.
pub const LOG_CONDITION: u32 = 2;
/// Entry of the log: a point's uncached writes do not count.
pub const LOG_DROP_POINT: u32 = 3;
/// Entry of the log: a group's uncached writes do not count.
pub const LOG_DROP_GROUP: u32 = 4;
/// Entry of the log: faults of one kind.
pub const LOG_FAULT: u32 = 5;
/// The order of events at the end of a point.
pub const AT_END: u32 = u32::MAX;

/// Flag of a launch: writes go to the log.
pub const LAUNCH_LOGS: u32 = 1;
/// Flag of a launch: the conditional operation writes values that pass.
pub const LAUNCH_CONDITION_WRITES: u32 = 2;
/// Flag of a launch: the conditional operation precedes the point's program.
pub const LAUNCH_CONDITION_FIRST: u32 = 4;
/// Flag of a launch: the conditional operation follows the point's program.
pub const LAUNCH_CONDITION_LAST: u32 = 8;

/// A group's status: not started.
pub const STATUS_NEW: u32 = 0;
/// A group's status: runs.
pub const STATUS_RUNS: u32 = 1;
/// A group's status: ended in an earlier dispatch.
pub const STATUS_ENDED: u32 = 2;
/// A group's status: resumes in the next dispatch.
pub const STATUS_RESTS: u32 = 3;
/// A group's status: ended normally.
pub const STATUS_DONE: u32 = 4;
/// A group's status: the driver ended its loops.
pub const STATUS_CUT: u32 = 5;
/// A group's status: this value plus n means ended by fault number n.
pub const STATUS_FAULT: u32 = 16;

/// The text of `shaders/constants.wgsl`.
pub fn text() -> String {
    let mut text = String::from(
        "// Generated from the tables of the instruction set, the lowered form and the host's records by\n\
         // src/engine/gpu/constants.rs (`cargo run --example shader_constants`). Do not edit.\n",
    );
    let mut section = |title: &str, names: Vec<(String, u32)>| {
        let _ = writeln!(text, "\n// {title}");
        for (name, value) in names {
            if value > 0xffff {
                let _ = writeln!(text, "const {name}: u32 = 0x{value:08x}u;");
            } else {
                let _ = writeln!(text, "const {name}: u32 = {value}u;");
            }
        }
    };
    let named = |pairs: &[(&str, u32)]| -> Vec<(String, u32)> {
        pairs.iter().map(|&(name, value)| (name.to_string(), value)).collect()
    };
    section("Micro-operations as they are encoded for shaders.", named(&encode::CONSTANTS));
    let general = General::ALL.map(|op| (format!("CODE_{op:?}").to_uppercase(), op as u32));
    section("General operations: the common class.", general.to_vec());
    let own = |op: &Op| matches!(op.facts().code, Encoding::Own(_));
    let name = |op: Op| format!("OP_{}", op.facts().name.to_uppercase());
    let mut numbers: Vec<_> = Op::all().filter(own).map(|op| (name(op), op.number())).collect();
    numbers.push(("OP_CALCS".to_string(), Op::CALCS));
    section("Operations of their own: the other classes.", numbers);
    section(
        "Fetches and gates: the bits of `aux`.",
        named(&[
            ("FETCH_INPUT", FetchBits::INPUT as u32),
            ("FETCH_PROJECT", FetchBits::PROJECT as u32),
            ("FETCH_UNSCALED", FetchBits::UNSCALED as u32),
            ("FETCH_IGNORE_UNCOVERED", FetchBits::IGNORE_UNCOVERED as u32),
            ("FETCH_ALL", FetchBits::ALL as u32),
            ("FETCH_DEAD", FetchBits::DEAD as u32),
            ("FETCH_CHANNELS_SHIFT", FetchBits::CHANNELS_SHIFT),
            ("GATE_PASS", (1 << GateBits::FAIL_SHIFT) - 1),
            ("GATE_FAIL_SHIFT", GateBits::FAIL_SHIFT),
            ("GATE_ALL", GateBits::ALL as u32),
            ("GATE_COVERED", GateBits::COVERED as u32),
        ]),
    );
    section(
        "Flow control.",
        named(&[
            ("FC_LOOP", FcOp::Loop.code()),
            ("FC_END_LOOP", FcOp::EndLoop.code()),
            ("FC_REP", FcOp::Rep.code()),
            ("FC_END_REP", FcOp::EndRep.code()),
            ("FC_BREAK_LOOP", FcOp::BreakLoop.code()),
            ("FC_BREAK_REP", FcOp::BreakRep.code()),
            ("FC_CONTINUE", FcOp::Continue.code()),
            ("ADDRESS_POP", AddressOp::Pop.code()),
            ("ADDRESS_PUSH", AddressOp::Push.code()),
            ("BRANCH_DECR", BranchOp::Decr.code()),
            ("BRANCH_INCR", BranchOp::Incr.code()),
            ("FLOW_ELSE", Flow::ELSE as u32),
            ("FLOW_ANY", Flow::ANY as u32),
            ("FLOW_IGNORE_UNCOVERED", Flow::IGNORE_UNCOVERED as u32),
            ("FLOW_INVERT", Flow::INVERT as u32),
            ("FLOW_END", Flow::END as u32),
            ("STACK_DEPTH", STACK_DEPTH as u32),
            ("BRANCH_LIMIT", BRANCH_LIMIT),
            ("SLOT_MASK", crate::isa::MAX_INSTRUCTIONS as u32 - 1),
        ]),
    );
    section(
        "Tests of the conditional operation, by code.",
        Test::ALL.iter().map(|test| (format!("TEST_{}", test.name()), test.code())).collect(),
    );
    section(
        "Faults: those of a point, then those of a group.",
        FAULTS
            .iter()
            .enumerate()
            .map(|(n, (name, _))| (format!("FAULT_{name}"), n as u32))
            .collect(),
    );
    section(
        "Records.",
        named(&[
            ("OUTPUTS", OUTPUTS as u32),
            ("NO_ROW", NO_ROW as u32),
            ("POINT_FAULTS", POINT_FAULTS),
            ("NO_TABLE", NO_TABLE),
            ("NO_ROOM", u32::MAX),
            ("RESULT_LAUNCHES", RESULT_LAUNCHES),
            ("RESULT_LOGGED", RESULT_LOGGED),
            ("RESULT_RESTING", RESULT_RESTING),
            ("RESULT_CUT", RESULT_CUT),
            ("RESULT_WORDS", RESULT_WORDS),
            ("RESULT_GROUPS", RESULT_GROUPS),
            ("RESULT_POINTS", RESULT_POINTS),
            ("RESULT_FOREIGN", RESULT_FOREIGN),
            ("RESULT_COUNTED", RESULT_COUNTED),
            ("RESULT_SUMS", RESULT_SUMS),
            ("LOG_WORDS", LOG_WORDS),
            ("LOG_UNCACHED", LOG_UNCACHED),
            ("LOG_OUTPUT", LOG_OUTPUT),
            ("LOG_CONDITION", LOG_CONDITION),
            ("LOG_DROP_POINT", LOG_DROP_POINT),
            ("LOG_DROP_GROUP", LOG_DROP_GROUP),
            ("LOG_FAULT", LOG_FAULT),
            ("AT_END", AT_END),
            ("LAUNCH_LOGS", LAUNCH_LOGS),
            ("LAUNCH_CONDITION_WRITES", LAUNCH_CONDITION_WRITES),
            ("LAUNCH_CONDITION_FIRST", LAUNCH_CONDITION_FIRST),
            ("LAUNCH_CONDITION_LAST", LAUNCH_CONDITION_LAST),
            ("STATUS_NEW", STATUS_NEW),
            ("STATUS_RUNS", STATUS_RUNS),
            ("STATUS_ENDED", STATUS_ENDED),
            ("STATUS_RESTS", STATUS_RESTS),
            ("STATUS_DONE", STATUS_DONE),
            ("STATUS_CUT", STATUS_CUT),
            ("STATUS_FAULT", STATUS_FAULT),
        ]),
    );
    text.push_str(&math());
    text
}

/// The function that computes the operations with [`Feature::Math`].
fn math() -> String {
    let calcs = Calc::ALL.iter().map(|calc| calc.facts());
    let calcs = calcs.filter(|calc| calc.facts.code == Encoding::Own(Feature::Math));
    let most = calcs.clone().map(|calc| calc.operands).max().unwrap_or_default();
    let mut text = String::from(
        "\n// The result of an operation that computes a number and is not a general one.\n\
         fn math(op: vec4<u32>) -> u32 {\n    \
             let kind = op.x & CODE_OP;\n",
    );
    let places = ["op.y & 0xffffu", "op.y >> 16u", "op.z & 0xffffu", "op.z >> 16u"];
    for (name, place) in ["a", "b", "c", "d"].iter().zip(places).take(most) {
        let _ = writeln!(text, "    let {name} = operand({place});");
    }
    text.push_str("    var value = 0u;\n");
    for calc in calcs {
        let (name, function) = (calc.facts.name.to_uppercase(), calc.wgsl_exact);
        let operands = ["a", "b", "c", "d"][..calc.operands].join(", ");
        let call = format!("x1k_{function}({operands})");
        let _ = writeln!(text, "    value = select(value, {call}, kind == OP_{name});");
    }
    text.push_str("    return value;\n}\n");
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_constants_are_these() {
        let committed = include_str!("../../../shaders/constants.wgsl");
        assert!(
            committed == super::text(),
            "shaders/constants.wgsl is stale: cargo run --example shader_constants > shaders/constants.wgsl"
        );
    }
}
