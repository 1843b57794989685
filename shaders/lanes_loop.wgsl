// The lanes of a micro-operation one after the other: for drivers that run on a CPU. They read each
// channel by itself, so that a lane that is not computed saves its time.

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

// One micro-operation of the first class.
fn common_op(op: vec4<u32>) {
    let row = ((op.x >> CODE_DST_SHIFT) & CODE_REGISTER) << 2u;
    let writes = passes(op);
    let has_row = writes & ((op.x & CODE_HAS_ROW) != 0u);
    var rest = lanes_of(op);
    var lane = 0u;
    loop {
        let a = operand_lane(op.y, lane);
        let value = lane_value(op.x, a, operand_lane(op.z, lane), operand_lane(op.w, lane));
        if has_row & ((rest & 1u) != 0u) {
            set_reg(row + lane, value);
        }
        rest = rest >> 1u;
        lane += 1u;
        if rest == 0u {
            break;
        }
    }
    set_bits(op);
}
