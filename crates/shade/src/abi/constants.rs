//! The numbers that the shaders share with the host. `shaders/constants.wgsl` is generated here.
//!
//! Everything about the instruction set and the lowered form comes from their own tables.

use crate::abi::encode;

use crate::abi::results;
use ctm_isa::isa::{
    ADDRESS_OPS, BRANCH_LIMIT, BRANCH_OPS, Code, FC_OPS, MAX_INSTRUCTIONS, OUTPUTS, STACK_DEPTH,
};
use ctm_isa::ops::{Calc, Encoding, Feature, Op};
use ctm_machine::engine::FaultCode;
use ctm_machine::launch::Test;
use ctm_machine::lower::{FetchBits, FlowControl, GateBits, NO_ROW};
use std::fmt::Write as _;

/// Defines numbers, and a list of all of them with their names.
macro_rules! numbers {
    ($(#[$list_doc:meta])* $LIST:ident; $($(#[$doc:meta])* $NAME:ident = $value:expr;)*) => {
        $($(#[$doc])* pub const $NAME: u32 = $value;)*
        $(#[$list_doc])*
        pub const $LIST: [(&str, u32); [$($NAME),*].len()] = [$((stringify!($NAME), $NAME)),*];
    };
}
pub(crate) use numbers;

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

numbers! {
    /// The numbers of launches and dispatches, for shaders.
    NUMBERS;
    /// The number of [`FAULTS`] that are faults of a point.
    POINT_FAULTS = 8;
    /// A position in `code` that means "none".
    NO_TABLE = u32::MAX;
    /// The order of events at the end of a point.
    AT_END = u32::MAX;
    /// Flag of a launch: writes go to the log.
    LAUNCH_LOGS = 1;
    /// Flag of a launch: the conditional operation writes values that pass.
    LAUNCH_CONDITION_WRITES = 2;
    /// Flag of a launch: the conditional operation precedes the point's program.
    LAUNCH_CONDITION_FIRST = 4;
    /// Flag of a launch: the conditional operation follows the point's program.
    LAUNCH_CONDITION_LAST = 8;
    /// A group's status: not started.
    STATUS_NEW = 0;
    /// A group's status: runs.
    STATUS_RUNS = 1;
    /// A group's status: ended in an earlier dispatch.
    STATUS_ENDED = 2;
    /// A group's status: resumes in the next dispatch.
    STATUS_RESTS = 3;
    /// A group's status: ended normally.
    STATUS_DONE = 4;
    /// A group's status: the driver ended its loops.
    STATUS_CUT = 5;
    /// A group's status: this value plus n means ended by fault number n.
    STATUS_FAULT = 16;
}

/// The text of `shaders/constants.wgsl`.
pub fn text() -> String {
    let mut text = String::from(
        "// Generated from the tables of the instruction set, the lowered form and the host's records by\n\
         // crates/shade/src/abi/constants.rs (`cargo run --example shader_constants`). Do not edit.\n",
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
    section("Micro-operations as they are encoded for shaders.", named(&encode::NUMBERS));
    let own =
        |op: &Op| *op == Op::Calc(Calc::Finish) || matches!(op.facts().code, Encoding::Own(_));
    let name = |op: Op| format!("OP_{}", op.facts().name.to_uppercase());
    let mut numbers: Vec<_> = Op::all().filter(own).map(|op| (name(op), op.number())).collect();
    numbers.push(("OP_CALCS".to_string(), Op::CALCS));
    section("Operations of the point and of the group.", numbers);
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
    let codes = |prefix: &str, codes: &[Code]| -> Vec<(String, u32)> {
        let name = |code: &Code| (format!("{prefix}_{}", code.name), code.code.into());
        codes.iter().map(name).collect()
    };
    let mut flow = codes("FC", FC_OPS);
    flow.extend(codes("ADDRESS", ADDRESS_OPS));
    flow.extend(codes("BRANCH", BRANCH_OPS));
    flow.extend(named(&[
        ("FLOW_ELSE", FlowControl::ELSE as u32),
        ("FLOW_ANY", FlowControl::ANY as u32),
        ("FLOW_IGNORE_UNCOVERED", FlowControl::IGNORE_UNCOVERED as u32),
        ("FLOW_INVERT", FlowControl::INVERT as u32),
        ("FLOW_END", FlowControl::END as u32),
        ("STACK_DEPTH", STACK_DEPTH as u32),
        ("BRANCH_LIMIT", BRANCH_LIMIT),
        ("SLOT_MASK", MAX_INSTRUCTIONS as u32 - 1),
    ]));
    section("Flow control.", flow);
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
    let mut records = named(&[("OUTPUTS", OUTPUTS as u32), ("NO_ROW", NO_ROW as u32)]);
    records.extend(named(&NUMBERS));
    section("Records.", records);
    let mut returned = results::positions();
    returned.extend(named(&results::NUMBERS));
    section("Results: the positions of their fields, kinds of log entries.", returned);
    text.push_str(&math());
    text
}

/// The function that computes the operations with [`Feature::Math`].
fn math() -> String {
    let calcs = Calc::ALL.iter().map(|calc| calc.facts());
    let calcs = calcs.filter(|calc| calc.facts.code == Encoding::Own(Feature::Math));
    let mut text = String::from(
        "\n// The result of an operation that computes a number and is not a general one.\n\
         fn math(kind: u32, a: u32) -> u32 {\n",
    );
    text.push_str("    var value = 0u;\n");
    for calc in calcs {
        assert!(
            calc.operands == 1,
            "{}: the last words of such an operation are taken",
            calc.facts.name
        );
        let (name, function) = (calc.facts.name.to_uppercase(), calc.wgsl_exact);
        let _ = writeln!(text, "    value = select(value, x1k_{function}(a), kind == OP_{name});");
    }
    text.push_str("    return value;\n}\n");
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_constants_are_these() {
        let committed = ctm_shaders::CONSTANTS;
        assert!(
            committed == crate::abi::constants::text(),
            "shaders/constants.wgsl is stale: cargo run --example shader_constants > shaders/constants.wgsl"
        );
    }
}
