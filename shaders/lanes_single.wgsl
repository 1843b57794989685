// Operations on lanes, one at a time: for drivers that run on a CPU. They read and write each channel
// by itself, so a lane that is not computed saves its time. Each micro-operation has one lane; the
// exceptions need several at once.

// A lane of an operand: a channel of a register, then absolute value, negation, flush.
fn operand_lane(word: u32, n: u32, p: u32) -> u32 {
    let channel = (word >> (OPERAND_CHANNELS_SHIFT + 2u * n)) & 3u;
    let bits = word >> n;
    let abs = (bits << (31u - OPERAND_ABS_SHIFT)) & X1K_SIGN;
    let neg = (bits << (31u - OPERAND_NEG_SHIFT)) & X1K_SIGN;
    let value = (reg(p, ((word & CODE_REGISTER) << 2u) + channel) & ~abs) ^ neg;
    return select(value, x1k_ftz(value), ((bits >> OPERAND_FLUSH_SHIFT) & 1u) != 0u);
}

fn operand(word: u32, p: u32) -> vec4<u32> {
    return vec4<u32>(
        operand_lane(word, 0u, p),
        operand_lane(word, 1u, p),
        operand_lane(word, 2u, p),
        operand_lane(word, 3u, p),
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
    common_point(op, 0u);
    // Without a loop: a driver may not unroll one of this length.
    if POINTS > 1u {
        common_point(op, 1u);
    }
    if POINTS > 2u {
        common_point(op, 2u);
        common_point(op, 3u);
    }
}

fn common_point(op: vec4<u32>, p: u32) {
    let n = lane_of(op);
    let a = operand_lane(op.y, n, p);
    let value = lane_value(op.x, a, operand_lane(op.z, n, p), operand_lane(op.w, n, p));
    set_reg_if(p, row_of(op), passes(op, p) & ((op.x & CODE_HAS_ROW) != 0u), value);
    set_bits(op, p, compare_bit(test_of(op), a) << n);
}

// A number for the only lane of a micro-operation.
fn deliver_one(op: vec4<u32>, p: u32, value: u32) {
    set_reg_if(p, row_of(op), passes(op, p), value);
}

// A function of a lane.
fn math_op(op: vec4<u32>, p: u32) {
    deliver_one(op, p, math(op.x & CODE_OP, operand_lane(op.y, lane_of(op), p)));
}
