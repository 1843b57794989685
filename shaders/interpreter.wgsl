// The processor array: one workgroup runs one group of 64 points over lowered micro-operations.
//
// The pc and the stacks are the same for all points of a group; every point keeps a copy. Masks are
// bits of the point. Points meet at a barrier only where they have to agree (interpreter_group.wgsl).
//
// Loops are nested by how rare an operation is, because some drivers execute the whole body of a loop
// in every iteration. The innermost loop has the common operations, without branches. The middle loop
// has operations that involve one point only, the outer loop those that involve the whole group.
//
// Switches of a variant: FAST (mode), MATH (transcendentals and FRC), SUMS (dot products), FETCHES,
// RELATIVE (aL), UNCACHED, KILLS, QUADS, FLOWS, CONDITIONS, STARTS (interpolants and initial data),
// STATISTICS, SLICED. ROWS is the size of the register file.

// ---- the point

// Slot in the group, 0 to 63. Points of a group are ordered by it.
var<private> slot: u32;
var<private> point: vec2<u32>;
var<private> launch: u32;
// Index in `code` of this launch's first micro-operation.
var<private> ops: u32;
var<private> covered: bool;
var<private> started: bool;
// Bit n: this point makes writes of kind n (0 all, 1 active, 2 gated).
var<private> masks: u32;
// Bits 3:0 predicates, bit 4 the ALU result.
var<private> predicates: u32;
// Bits 15:0 channels of held outputs that were written, bit 16 the own conditional value.
var<private> written: u32;
// Bit n: input n is written in place, and the point fetched another point's element from it.
var<private> foreign: u32;

// ---- the group

// The next micro-operation, relative to `ops`.
var<private> next: u32;
// The slot where the current straight run began, and the number of instructions executed before it.
var<private> segment: u32;
var<private> executed: u32;
var<private> al: u32;

// ---- statistics

var<private> lane_instructions: u32;
var<private> fetches: u32;
var<private> killed: u32;

fn is_active() -> bool {
    return (masks & MASK_ACTIVE) != 0u;
}

// Whether a micro-operation writes for this point.
fn passes(op: vec4<u32>) -> bool {
    return ((masks >> ((op.x >> CODE_WRITE_SHIFT) & 3u)) & 1u) != 0u;
}

// Group instructions executed before the one at `pc`.
fn order_at(pc: u32) -> u32 {
    return executed + (pc - segment);
}

// The value of an operand. Bits 11:0 are the row, followed by absolute value, negation, flush.
fn operand(o: u32) -> u32 {
    let value = (reg(o & OPERAND_ROW) & ~((o & OPERAND_ABS) << OPERAND_ABS_TO_SIGN))
        ^ ((o & OPERAND_NEG) << OPERAND_NEG_TO_SIGN);
    return select(value, x1k_ftz(value), (o & OPERAND_FLUSH) != 0u);
}

// ---- operations of every program

// Gate: whether the point passes all of `aux`, as a bit.
fn gate_bit(aux: u32) -> u32 {
    let need = aux & GATE_PASS;
    let fail = (aux >> GATE_FAIL_SHIFT) & GATE_PASS;
    let active_or_all = is_active() | ((aux & GATE_ALL) != 0u);
    let agrees = ((predicates & need) == need) & ((predicates & fail) == 0u);
    let inside = covered | ((aux & GATE_COVERED) == 0u);
    return select(0u, MASK_GATED, active_or_all & agrees & inside);
}

// The comparison with 0 that code 0 to 3 selects, as a bit.
fn compare_bit(code_of: u32, x: u32) -> u32 {
    let zero = x1k_is_zero(x);
    let below = ((x & X1K_SIGN) != 0u) & !zero & !x1k_is_nan(x);
    let above = !below & !x1k_is_nan(x);
    let table = select(8u, 1u, zero) | select(0u, 2u, below) | select(0u, 4u, above);
    return (table >> code_of) & 1u;
}

fn multiply_add(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    if FAST {
        return fast_mad(a, b, c, zero_times);
    }
    return x1k_mad_flushed(a, b, c, zero_times);
}

fn term(a: u32, b: u32, zero_times: bool) -> u32 {
    if FAST {
        return fast_mul(a, b, zero_times);
    }
    return x1k_product_loose(a, b, zero_times);
}

fn sum(a: u32, b: u32, c: u32, d: u32) -> u32 {
    if FAST {
        return fast_sum4(a, b, c, d);
    }
    return x1k_sum4(a, b, c, d);
}

// One micro-operation of the first class.
fn common_op(op: vec4<u32>) {
    let kind = op.x & CODE_OP;
    let aux = op.x >> CODE_AUX_SHIFT;
    let a = operand(op.y & 0xffffu);
    let b = operand(op.y >> 16u);
    let c = operand(op.z & 0xffffu);
    let zero_times = (op.x & CODE_ZERO_TIMES) != 0u;
    // MIN, MAX, CND and CMP choose a if `less` is below `more`. For moves, a and b are equal.
    let constant = select(X1K_HALF, BELOW_ZERO, kind == CODE_CMP);
    let by_c = (kind == CODE_CND) | (kind == CODE_CMP);
    let less = select(select(a, b, kind == CODE_MAX), constant, by_c);
    let more = select(select(b, a, kind == CODE_MAX), c, by_c);
    var value = select(b, a, x1k_less(less, more));
    let mad = multiply_add(a, b, c, zero_times);
    value = select(value, select(mad, x1k_clamp01(mad), (op.x & CODE_CLAMP) != 0u), kind == CODE_MAD);
    value = select(value, term(a, b, zero_times), kind == CODE_PRODUCT);
    if SUMS {
        value = select(value, sum(a, b, c, operand(op.z >> 16u)), kind == CODE_SUM);
    }
    let writes = passes(op);
    if writes & ((op.x & CODE_HAS_ROW) != 0u) {
        set_reg(op.w & CODE_ROW, value);
    }
    written |= select(0u, 1u << aux, writes & ((op.x & CODE_MARK) != 0u));
    let gate = select(masks & MASK_GATED, gate_bit(aux), kind == CODE_GATE);
    masks = (masks & ~MASK_GATED) | gate;
    let predicate = 1u << (aux & 7u);
    let compared = select(0u, predicate, compare_bit((aux >> 3u) & 3u, a) != 0u);
    predicates = select(
        predicates,
        (predicates & ~predicate) | compared,
        writes & (kind == CODE_COMPARE),
    );
}

// ---- operations of one point

// Row of a channel of temporary (aux >> 2) + aL. Programs with relative addresses keep all rows.
fn relative_row(aux: u32) -> u32 {
    return ((((aux >> 2u) + al) & 127u) << 2u) | (aux & 3u);
}

fn relative_constant(aux: u32) -> u32 {
    let n = ((aux >> 2u) + al) & 255u;
    return code[launches[launch].floats + n][aux & 3u];
}

fn scaled(a: u32, b: u32) -> u32 {
    if FAST {
        return fast_product(a, b);
    }
    return x1k_scale(a, b);
}

fn fetch(op: vec4<u32>) {
    let aux = op.x >> CODE_AUX_SHIFT;
    let number = aux & FETCH_INPUT;
    let counts = is_active() & covered;
    fetches += select(0u, 1u, counts);
    if (aux & FETCH_DEAD) != 0u {
        return;
    }
    let reads = (is_active() | ((aux & FETCH_ALL) != 0u)) & (covered | ((aux & FETCH_IGNORE_UNCOVERED) == 0u));
    let surface = launches[launch].inputs[number];
    var s = operand(op.y & 0xffffu);
    var t = operand(op.y >> 16u);
    if (aux & FETCH_PROJECT) != 0u {
        let q = x1k_rcp(operand(op.z & 0xffffu));
        s = scaled(s, q);
        t = scaled(t, q);
    }
    if (aux & FETCH_UNSCALED) == 0u {
        s = scaled(s, bitcast<u32>(f32(surface.width)));
        t = scaled(t, bitcast<u32>(f32(surface.height)));
    }
    let x = x1k_texel_index(s);
    let y = x1k_texel_index(t);
    let texel = mem_fetch(surface, x, y, memory_ranges());
    let row = op.w & CODE_ROW;
    // One place that writes registers: drivers take long to compile each.
    for (var rest = (aux >> FETCH_CHANNELS_SHIFT) & 15u; rest != 0u; rest &= rest - 1u) {
        let n = firstTrailingBit(rest);
        set_reg(row + n, texel.texel[n]);
    }
    if texel.outside & reads & covered {
        let pc = op.w >> CODE_PC_SHIFT;
        point_fault(FAULT_INPUT, order_at(pc), pc, number, texel.address);
    }
    if ((launches[launch].in_place >> number) & 1u) != 0u {
        let own = (mem_wrap_coordinate(surface.bits, x, 0u, surface.width) == point.x)
            & (mem_wrap_coordinate(surface.bits, y, 0u, surface.height) == point.y)
            & ((surface.bits & MEM_INP_2X2) == 0u);
        foreign |= select(0u, 1u << number, reads & covered & !own);
    }
}

fn kill(op: vec4<u32>) {
    var any = false;
    for (var n = 0u; n < 4u; n++) {
        let o = (op[1u + (n >> 1u)] >> ((n & 1u) * 16u)) & 0xffffu;
        let x = operand(o);
        any = any | (((x & X1K_SIGN) != 0u) & !x1k_is_nan(x));
    }
    if any & is_active() & covered {
        // The point's share of the running segment ends here.
        lane_instructions += (op.w >> CODE_PC_SHIFT) + 1u - segment;
        killed += 1u;
        covered = false;
    }
}

// The element index that a coordinate of an uncached write names; 0xffffffff if there is none.
fn uncached_index(x: u32) -> u32 {
    let flushed = x1k_ftz(x);
    let n = x1k_texel_index(flushed);
    return select(bitcast<u32>(n), 0xffffffffu, (n < 0) | x1k_is_nan(flushed));
}

fn uncached(op: vec4<u32>) {
    if !(passes(op) & covered & ((launches[launch].out_mask & 1u) != 0u)) {
        return;
    }
    let pc = op.w >> CODE_PC_SHIFT;
    let order = order_at(pc);
    let red = operand(op.y & 0xffffu);
    let green = operand(op.y >> 16u);
    let blue = operand(op.z & 0xffffu);
    let alpha = operand(op.z >> 16u);
    let surface = launches[launch].outputs[0];
    let x = uncached_index(green);
    let y = uncached_index(blue);
    let address = mem_address(surface, x, y);
    if !x1k_is_zero(alpha) {
        point_fault(FAULT_ALPHA, order, pc, 0u, alpha);
    } else if !mem_is_writable(surface, x, y) {
        point_fault(FAULT_UNCACHED_SURFACE, order, pc, 0u, select(blue, green, x >= surface.pitch));
    } else if !mem_contains(memory_ranges(), address, 4u) {
        point_fault(FAULT_UNCACHED_MEMORY, order, pc, 0u, address);
    } else {
        log_entry(LOG_UNCACHED, 0xfu, order, address, vec4<u32>(red, 0u, 0u, 0u));
    }
}

// One micro-operation of the second class.
fn point_op(op: vec4<u32>) {
    let kind = op.x & CODE_OP;
    if MATH {
        if kind >= OP_CALCS {
            if passes(op) {
                let a = operand(op.y & 0xffffu);
                let b = operand(op.y >> 16u);
                let c = operand(op.z & 0xffffu);
                let d = operand(op.z >> 16u);
                set_reg(op.w & CODE_ROW, math(kind, a, b, c, d));
            }
        }
    }
    if RELATIVE {
        let aux = op.x >> CODE_AUX_SHIFT;
        let row = op.w & CODE_ROW;
        if kind == OP_LOAD_TEMP {
            set_reg(row, reg(relative_row(aux)));
        } else if kind == OP_LOAD_CONSTANT {
            set_reg(row, relative_constant(aux));
        } else if kind == OP_STORE_TEMP {
            if passes(op) {
                set_reg(relative_row(aux), operand(op.y & 0xffffu));
            }
        }
    }
    if FETCHES {
        if kind == OP_FETCH {
            fetch(op);
        }
    }
    if UNCACHED {
        if kind == OP_UNCACHED {
            uncached(op);
        }
    }
    if KILLS {
        if kind == OP_KILL {
            kill(op);
        }
    }
}

// ---- the group's life

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    slot = lane;
    let group = workgroup.x;
    var tile = dispatch.first_tile + group;
    if dispatch.table != NO_TABLE {
        let pair = code[dispatch.table + (group >> 1u)];
        launch = select(pair.x, pair.z, (group & 1u) != 0u);
        tile = select(pair.y, pair.w, (group & 1u) != 0u);
    }
    ops = launches[launch].ops;
    clear_shared();
    workgroupBarrier();
    find_registers(group);
    var status = STATUS_RUNS;
    if SLICED {
        status = load_state(group);
    }
    if status == STATUS_ENDED {
        return;
    }
    if SLICED {
        if status == STATUS_NEW {
            status = start_group(tile);
        } else {
            find_point(tile);
        }
    } else {
        status = start_group(tile);
    }
    var taken = 0u;
    loop {
        if status != STATUS_RUNS {
            break;
        }
        let first = next;
        var op: vec4<u32>;
        // With AHEAD, the next micro-operation loads while this one executes. Loading past the last
        // one is safe: other tables follow.
        var ahead: vec4<u32>;
        if AHEAD {
            ahead = code[ops + next];
        }
        loop {
            loop {
                if AHEAD {
                    op = ahead;
                    ahead = code[ops + next + 1u];
                } else {
                    op = code[ops + next];
                }
                next += 1u;
                if (op.x & CODE_CLASS) != CLASS_COMMON {
                    break;
                }
                common_op(op);
            }
            if (op.x & CODE_CLASS) == CLASS_GROUP {
                break;
            }
            point_op(op);
        }
        taken += next - first;
        if SLICED {
            if (taken > dispatch.slice) & ((op.x & CODE_OP) == OP_FLOW) {
                // The next slice executes the instruction.
                next -= 1u;
                status = STATUS_RESTS;
                continue;
            }
        }
        status = group_op(op);
    }
    if (status == STATUS_RUNS) | (status == STATUS_CUT) {
        // Reached only if the driver ends loops by itself.
        atomicStore(&results[HEAD_CUT], 1u);
    }
    if SLICED {
        save_state(group, status);
    }
    if status != STATUS_RESTS {
        end_group(status);
    }
}
