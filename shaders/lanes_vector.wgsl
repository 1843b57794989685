// Operations on lanes, all at once: for GPUs, which read a register as a whole.

// The lanes of an operand: channels of a register, then absolute values, negations, flushes.
fn operand(word: u32, p: u32) -> vec4<u32> {
    let lanes = vec4<u32>(word) >> vec4<u32>(0u, 1u, 2u, 3u);
    let abs = (lanes << vec4<u32>(31u - OPERAND_ABS_SHIFT)) & vec4<u32>(X1K_SIGN);
    let neg = (lanes << vec4<u32>(31u - OPERAND_NEG_SHIFT)) & vec4<u32>(X1K_SIGN);
    let flush = (lanes & vec4<u32>(1u << OPERAND_FLUSH_SHIFT)) != vec4<u32>(0u);
    let value = (reg4(p, word & CODE_REGISTER, word >> OPERAND_CHANNELS_SHIFT) & ~abs) ^ neg;
    let tiny = (value & vec4<u32>(X1K_EXPONENT)) == vec4<u32>(0u);
    return select(value, value & vec4<u32>(X1K_SIGN), flush & tiny);
}

// One micro-operation of the first class.
fn common_op(op: vec4<u32>) {
    for (var p = 0u; p < POINTS; p++) {
        let a = operand(op.y, p);
        let b = operand(op.z, p);
        let c = operand(op.w, p);
        let value = vec4<u32>(
            lane_value(op.x, a.x, b.x, c.x),
            lane_value(op.x, a.y, b.y, c.y),
            lane_value(op.x, a.z, b.z, c.z),
            lane_value(op.x, a.w, b.w, c.w),
        );
        if (op.x & CODE_HAS_ROW) != 0u {
            deliver(op, p, value);
        }
        let test = test_of(op);
        let compared = compare_bit(test, a.x) | (compare_bit(test, a.y) << 1u)
            | (compare_bit(test, a.z) << 2u) | (compare_bit(test, a.w) << 3u);
        set_bits(op, p, compared);
    }
}

// A number for the only lane of a micro-operation.
fn deliver_one(op: vec4<u32>, p: u32, value: u32) {
    deliver(op, p, vec4<u32>(value));
}

// A function of each lane.
fn math_op(op: vec4<u32>, p: u32) {
    let a = operand(op.y, p);
    var value = a;
    for (var rest = lanes_of(op); rest != 0u; rest &= rest - 1u) {
        let n = firstTrailingBit(rest);
        value[n] = math(op.x & CODE_OP, a[n]);
    }
    deliver(op, p, value);
}
