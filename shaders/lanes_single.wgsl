// Operations on lanes, one at a time: for drivers that run on a CPU. They read and write each channel
// by itself, so a lane that is not computed saves its time. Each micro-operation has one lane; the
// exceptions need several at once.

// A lane of an operand: a channel of a register, then absolute value, negation, flush.
fn operand_lane(word: u32, lane: u32) -> u32 {
    let channel = (word >> (OPERAND_CHANNELS_SHIFT + 2u * lane)) & 3u;
    let bits = word >> lane;
    let abs = (bits << (31u - OPERAND_ABS_SHIFT)) & X1K_SIGN;
    let neg = (bits << (31u - OPERAND_NEG_SHIFT)) & X1K_SIGN;
    let value = (reg(((word & CODE_REGISTER) << 2u) + channel) & ~abs) ^ neg;
    return select(value, x1k_ftz(value), ((bits >> OPERAND_FLUSH_SHIFT) & 1u) != 0u);
}

fn operand(word: u32) -> vec4<u32> {
    return vec4<u32>(
        operand_lane(word, 0u),
        operand_lane(word, 1u),
        operand_lane(word, 2u),
        operand_lane(word, 3u),
    );
}

// The row that a micro-operation writes.
fn row_of(op: vec4<u32>) -> u32 {
    return (((op.x >> CODE_DST_SHIFT) & CODE_REGISTER) << 2u) + lane_of(op);
}

// The number of its lane. Drivers take long to find a bit by searching.
fn lane_of(op: vec4<u32>) -> u32 {
    let lanes = lanes_of(op);
    return (lanes >> 1u) - (lanes >> 3u);
}

// One micro-operation of the first class.
fn common_op(op: vec4<u32>) {
    let lane = lane_of(op);
    let a = operand_lane(op.y, lane);
    let value = lane_value(op.x, a, operand_lane(op.z, lane), operand_lane(op.w, lane));
    if passes(op) & ((op.x & CODE_HAS_ROW) != 0u) {
        set_reg(row_of(op), value);
    }
    set_bits(op, compare_bit(test_of(op), a) << lane);
}

// A number for the only lane of a micro-operation.
fn deliver_one(op: vec4<u32>, value: u32) {
    if passes(op) {
        set_reg(row_of(op), value);
    }
}

// A function of a lane.
fn math_op(op: vec4<u32>) {
    deliver_one(op, math(op.x & CODE_OP, operand_lane(op.y, lane_of(op))));
}
