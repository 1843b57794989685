// Generated from the tables of the instruction set, the lowered form and the host's records by
// crates/shade/src/abi/constants.rs (`cargo run --example shader_constants`). Do not edit.

// Micro-operations as they are encoded for shaders.
const CODE_OP_SHIFT: u32 = 3u;
const CODE_OP: u32 = 63u;
const CODE_CLASS: u32 = 1536u;
const CLASS_ONE: u32 = 0u;
const CLASS_FOUR: u32 = 512u;
const CLASS_POINT: u32 = 1024u;
const CLASS_GROUP: u32 = 1536u;
const CODE_ZERO_TIMES: u32 = 2048u;
const CODE_ACROSS: u32 = 2048u;
const CODE_ROW_SHIFT: u32 = 16u;
const KIND_MOV: u32 = 0u;
const KIND_MAD: u32 = 1u;
const KIND_CHOICE: u32 = 2u;
const KIND_MOV_ANY: u32 = 3u;
const KIND_MAD_ANY: u32 = 4u;
const OPERAND_ROW: u32 = 65535u;
const OPERAND_FLUSH: u32 = 0x20000000u;
const OPERAND_ABS: u32 = 0x40000000u;
const OPERAND_NEG: u32 = 0x80000000u;
const FETCH_CHANNEL_SHIFT: u32 = 16u;
const UNIFORM_OPS: u32 = 4096u;
const MASK_ALWAYS: u32 = 1u;
const MASK_ACTIVE: u32 = 2u;
const MASK_GATED: u32 = 4u;

// Operations of the point and of the group.
const OP_SUM3: u32 = 37u;
const OP_SUM4: u32 = 38u;
const OP_FRC: u32 = 43u;
const OP_EX2: u32 = 44u;
const OP_LN2: u32 = 45u;
const OP_RCP: u32 = 46u;
const OP_RSQ: u32 = 47u;
const OP_SIN: u32 = 48u;
const OP_COS: u32 = 49u;
const OP_FINISH: u32 = 50u;
const OP_QUAD: u32 = 0u;
const OP_LOAD_TEMP: u32 = 1u;
const OP_LOAD_CONSTANT: u32 = 2u;
const OP_STORE_TEMP: u32 = 3u;
const OP_GATE: u32 = 4u;
const OP_SET_BIT: u32 = 5u;
const OP_OUTPUT: u32 = 6u;
const OP_UNCACHED: u32 = 7u;
const OP_FETCH: u32 = 8u;
const OP_KILL: u32 = 9u;
const OP_FLOW: u32 = 10u;
const OP_END: u32 = 11u;
const OP_WRAP: u32 = 12u;
const OP_MISSING: u32 = 13u;
const OP_CALCS: u32 = 32u;

// Fetches and gates: the bits of `aux`.
const FETCH_INPUT: u32 = 15u;
const FETCH_PROJECT: u32 = 16u;
const FETCH_UNSCALED: u32 = 32u;
const FETCH_IGNORE_UNCOVERED: u32 = 64u;
const FETCH_ALL: u32 = 128u;
const FETCH_DEAD: u32 = 4096u;
const FETCH_CHANNELS_SHIFT: u32 = 8u;
const GATE_PASS: u32 = 15u;
const GATE_FAIL_SHIFT: u32 = 4u;
const GATE_ALL: u32 = 256u;
const GATE_COVERED: u32 = 512u;

// Flow control.
const FC_JUMP: u32 = 0u;
const FC_LOOP: u32 = 1u;
const FC_ENDLOOP: u32 = 2u;
const FC_REP: u32 = 3u;
const FC_ENDREP: u32 = 4u;
const FC_BREAKLOOP: u32 = 5u;
const FC_BREAKREP: u32 = 6u;
const FC_CONTINUE: u32 = 7u;
const ADDRESS_NONE: u32 = 0u;
const ADDRESS_POP: u32 = 1u;
const ADDRESS_PUSH: u32 = 2u;
const BRANCH_NONE: u32 = 0u;
const BRANCH_DECR: u32 = 1u;
const BRANCH_INCR: u32 = 2u;
const FLOW_ELSE: u32 = 1u;
const FLOW_ANY: u32 = 2u;
const FLOW_IGNORE_UNCOVERED: u32 = 4u;
const FLOW_INVERT: u32 = 8u;
const FLOW_END: u32 = 16u;
const STACK_DEPTH: u32 = 32u;
const BRANCH_LIMIT: u32 = 32u;
const SLOT_MASK: u32 = 511u;

// Tests of the conditional operation, by code.
const TEST_NEVER: u32 = 0u;
const TEST_LESS: u32 = 1u;
const TEST_LESS_EQUAL: u32 = 2u;
const TEST_EQUAL: u32 = 3u;
const TEST_GREATER_EQUAL: u32 = 4u;
const TEST_GREATER: u32 = 5u;
const TEST_NOT_EQUAL: u32 = 6u;
const TEST_ALWAYS: u32 = 7u;

// Faults: those of a point, then those of a group.
const FAULT_INPUT: u32 = 0u;
const FAULT_ALPHA: u32 = 1u;
const FAULT_UNCACHED_SURFACE: u32 = 2u;
const FAULT_UNCACHED_MEMORY: u32 = 3u;
const FAULT_OUTPUT_SURFACE: u32 = 4u;
const FAULT_OUTPUT_MEMORY: u32 = 5u;
const FAULT_CONDITION_SURFACE: u32 = 6u;
const FAULT_CONDITION_MEMORY: u32 = 7u;
const FAULT_BUDGET: u32 = 8u;
const FAULT_ADDRESS_OVERFLOW: u32 = 9u;
const FAULT_ADDRESS_UNDERFLOW: u32 = 10u;
const FAULT_LOOP_OVERFLOW: u32 = 11u;
const FAULT_LOOP_UNDERFLOW: u32 = 12u;
const FAULT_BRANCH_OVERFLOW: u32 = 13u;
const FAULT_MISSING: u32 = 14u;

// Records.
const OUTPUTS: u32 = 4u;
const NO_ROW: u32 = 65535u;
const POINT_FAULTS: u32 = 8u;
const NO_TABLE: u32 = 0xffffffffu;
const AT_END: u32 = 0xffffffffu;
const LAUNCH_LOGS: u32 = 1u;
const LAUNCH_CONDITION_WRITES: u32 = 2u;
const LAUNCH_CONDITION_FIRST: u32 = 4u;
const LAUNCH_CONDITION_LAST: u32 = 8u;
const STATUS_NEW: u32 = 0u;
const STATUS_RUNS: u32 = 1u;
const STATUS_ENDED: u32 = 2u;
const STATUS_RESTS: u32 = 3u;
const STATUS_DONE: u32 = 4u;
const STATUS_CUT: u32 = 5u;
const STATUS_FAULT: u32 = 16u;

// Results: the positions of their fields, kinds of log entries.
const HEAD_LOGGED: u32 = 0u;
const HEAD_RESTING: u32 = 1u;
const HEAD_CUT: u32 = 2u;
const HEAD_WORDS: u32 = 3u;
const RESULT_GROUPS: u32 = 0u;
const RESULT_POINTS: u32 = 1u;
const RESULT_FOREIGN: u32 = 2u;
const RESULT_GAVE_UP: u32 = 3u;
const RESULT_COUNTED: u32 = 4u;
const RESULT_SUMS: u32 = 16u;
const RESULT_WORDS: u32 = 22u;
const LOG_KIND: u32 = 0u;
const LOG_LAUNCH: u32 = 1u;
const LOG_POINT: u32 = 2u;
const LOG_ORDER: u32 = 3u;
const LOG_ADDRESS: u32 = 4u;
const LOG_DATA: u32 = 5u;
const LOG_WORDS: u32 = 9u;
const LOG_UNCACHED: u32 = 0u;
const LOG_OUTPUT: u32 = 1u;
const LOG_CONDITION: u32 = 2u;
const LOG_DROP_POINT: u32 = 3u;
const LOG_DROP_GROUP: u32 = 4u;
const LOG_FAULT: u32 = 5u;
const GAVE_UP_FAULT: u32 = 1u;
const GAVE_UP_BUDGET: u32 = 2u;

// The result of an operation that computes a number and is not a general one.
fn math(kind: u32, a: u32) -> u32 {
    var value = 0u;
    value = select(value, x1k_frc_flushed(a), kind == OP_FRC);
    value = select(value, x1k_ex2(a), kind == OP_EX2);
    value = select(value, x1k_ln2(a), kind == OP_LN2);
    value = select(value, x1k_rcp(a), kind == OP_RCP);
    value = select(value, x1k_rsq(a), kind == OP_RSQ);
    value = select(value, x1k_sin(a), kind == OP_SIN);
    value = select(value, x1k_cos(a), kind == OP_COS);
    return value;
}
