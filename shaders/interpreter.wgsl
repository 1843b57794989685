// The processor array: one workgroup runs one group of 64 points over lowered micro-operations.
//
// An invocation has POINTS of the group's points; INVOCATIONS is the number of invocations. What a
// point has of its own is in arrays of POINTS elements. Functions for one point get its number in the
// invocation.
//
// What all points of a group share is in a `Group`, a variable of the entry point: WGSL's rules can
// prove such a variable uniform, and barriers are valid only where control flow is. Functions that
// have barriers get a pointer to it, others a copy. What each point
// has of its own is in private variables. Masks are bits of the point. Points meet at a barrier only
// where they have to agree (group.wgsl).
//
// Loops are nested by how rare an operation is, because some drivers execute the whole body of a loop
// in every iteration. The innermost loop has the common operations, without branches; the middle loop
// has operations that involve one point only, the outer loop those that involve the whole group.
//
// A micro-operation computes up to four lanes of one register (lanes_vector.wgsl). Variants for CPUs
// get most of them one lane at a time (lanes_single.wgsl).
//
// Switches of a variant: FAST (mode), MATH (transcendentals and FRC), SUMS (dot products), FETCHES,
// RELATIVE (aL), UNCACHED, KILLS, QUADS, FLOWS, CONDITIONS, STARTS (interpolants and initial data),
// STATISTICS, SLICED, AHEAD, SUBGROUPS. ROWS is the size of the register file.

// ---- the point

// The invocation's number.
var<private> lane: u32;
var<private> point: array<vec2<u32>, POINTS>;
// The same as in the group, for what does not decide on control flow.
var<private> launch: u32;
var<private> covered: array<bool, POINTS>;
var<private> started: array<bool, POINTS>;
// Bit n: this point makes writes of kind n (0 all, 1 active, 2 gated).
var<private> masks: array<u32, POINTS>;
// Bits 3:0 predicates, bit 4 the ALU result.
var<private> predicates: array<u32, POINTS>;
// Bits 15:0 channels of held outputs that were written, bit 16 the own conditional value.
var<private> written: array<u32, POINTS>;
// Bit n: input n is written in place, and a point of the invocation fetched another point's element
// from it.
var<private> foreign: u32;

// A point's slot in the group, 0 to 63. Points of a group are ordered by it.
fn slot_of(p: u32) -> u32 {
    return p * INVOCATIONS + lane;
}

// ---- the group

struct Group {
    launch: u32,
    // Index in `code` of this launch's first micro-operation; the next one, relative to that.
    ops: u32,
    next: u32,
    // The slot where the current straight run began, and the number of instructions executed before
    // it; slot of the last instruction executed.
    segment: u32,
    executed: u32,
    last_pc: u32,
    al: u32,
    // Depths of the loop stack and the address stack; iterations left of the innermost loop.
    depth: u32,
    calls: u32,
    left: u32,
    // The number of votes.
    votes: u32,
    // Instructions executed: ALU, OUT, TEX, fetching TEX, FC, and divergent FC.
    counted: array<u32, 6>,
}

// ---- statistics

var<private> lane_instructions: array<u32, POINTS>;
var<private> fetches: array<u32, POINTS>;
var<private> killed: array<u32, POINTS>;

fn is_active(p: u32) -> bool {
    return (masks[p] & MASK_ACTIVE) != 0u;
}

// Whether a micro-operation writes for a point.
fn passes(op: vec4<u32>, p: u32) -> bool {
    return ((masks[p] >> ((op.x >> CODE_WRITE_SHIFT) & 3u)) & 1u) != 0u;
}

// The lanes that a micro-operation computes.
fn lanes_of(op: vec4<u32>) -> u32 {
    return (op.x >> CODE_MASK_SHIFT) & 15u;
}

// Writes those lanes of its register, if it writes for the point.
fn deliver(op: vec4<u32>, p: u32, value: vec4<u32>) {
    let lanes = select(0u, lanes_of(op), passes(op, p));
    set_reg4(p, (op.x >> CODE_DST_SHIFT) & CODE_REGISTER, lanes, value);
}

// Group instructions executed before the one at `pc`.
fn order_at(group: Group, pc: u32) -> u32 {
    return group.executed + (pc - group.segment);
}

// A channel that a number names.
fn picked(v: vec4<u32>, channel: u32) -> u32 {
    let odd = (channel & 1u) != 0u;
    return select(select(v.x, v.y, odd), select(v.z, v.w, odd), (channel & 2u) != 0u);
}

fn swizzled(v: vec4<u32>, channels: u32) -> vec4<u32> {
    return vec4<u32>(
        picked(v, channels),
        picked(v, channels >> 2u),
        picked(v, channels >> 4u),
        picked(v, channels >> 6u),
    );
}

// ---- operations of every program

// Gate: whether the point passes all of `aux`, as a bit.
fn gate_bit(aux: u32, p: u32) -> u32 {
    let need = aux & GATE_PASS;
    let fail = (aux >> GATE_FAIL_SHIFT) & GATE_PASS;
    let active_or_all = is_active(p) | ((aux & GATE_ALL) != 0u);
    let agrees = ((predicates[p] & need) == need) & ((predicates[p] & fail) == 0u);
    let inside = covered[p] | ((aux & GATE_COVERED) == 0u);
    return select(0u, MASK_GATED, active_or_all & agrees & inside);
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

// A lane of a micro-operation of the first class, if that computes a number.
fn lane_value(code_x: u32, a: u32, b: u32, c: u32) -> u32 {
    let kind = code_x & CODE_OP;
    let zero_times = (code_x & CODE_ZERO_TIMES) != 0u;
    // MIN, MAX, CND and CMP choose a if `less` is below `more`. For moves, a and b are equal.
    let constant = select(X1K_HALF, BELOW_ZERO, kind == CODE_CMP);
    let by_c = (kind == CODE_CND) | (kind == CODE_CMP);
    let less = select(select(a, b, kind == CODE_MAX), constant, by_c);
    let more = select(select(b, a, kind == CODE_MAX), c, by_c);
    let value = select(b, a, x1k_less(less, more));
    let mad = multiply_add(a, b, c, zero_times);
    let clamped = select(mad, x1k_clamp01(mad), (code_x & CODE_CLAMP) != 0u);
    return select(select(value, clamped, kind == CODE_MAD), term(a, b, zero_times), kind == CODE_PRODUCT);
}

// The comparison with 0 that a code selects, as a bit.
fn compare_bit(test: u32, x: u32) -> u32 {
    let zero = x1k_is_zero(x);
    let below = ((x & X1K_SIGN) != 0u) & !zero & !x1k_is_nan(x);
    let above = !below & !x1k_is_nan(x);
    let table = select(8u, 1u, zero) | select(0u, 2u, below) | select(0u, 4u, above);
    return (table >> test) & 1u;
}

// Sets the bits that a micro-operation of the first class sets: marks of outputs, the gate, predicates
// or the ALU result. `compared` has the results of its comparison.
fn set_bits(op: vec4<u32>, p: u32, compared: u32) {
    let kind = op.x & CODE_OP;
    let lanes = select(0u, lanes_of(op), passes(op, p));
    let aux = op.x >> CODE_AUX_SHIFT;
    written[p] |= select(0u, lanes << (4u * aux), (op.x & CODE_MARK) != 0u);
    let gate = gate_bit((op.x >> CODE_DST_SHIFT) & CODE_REGISTER, p);
    masks[p] = (masks[p] & ~MASK_GATED) | select(masks[p] & MASK_GATED, gate, kind == CODE_GATE);
    let first = aux & CODE_TO_RESULT;
    let changed = select(0u, lanes << first, kind == CODE_COMPARE);
    predicates[p] = (predicates[p] & ~changed) | ((compared << first) & changed);
}

// The comparison that a micro-operation of the first class makes.
fn test_of(op: vec4<u32>) -> u32 {
    return (op.x >> CODE_AUX_SHIFT) & 3u;
}

// ---- operations of one point

fn sum(a: u32, b: u32, c: u32, d: u32) -> u32 {
    if FAST {
        return fast_sum4(a, b, c, d);
    }
    return x1k_sum4(a, b, c, d);
}

fn scaled(a: u32, b: u32) -> u32 {
    if FAST {
        return fast_product(a, b);
    }
    return x1k_scale(a, b);
}

fn fetch(group: Group, op: vec4<u32>, p: u32) {
    let aux = op.w & CODE_AUX;
    let number = aux & FETCH_INPUT;
    let counts = is_active(p) & covered[p];
    fetches[p] += select(0u, 1u, counts);
    if (aux & FETCH_DEAD) != 0u {
        return;
    }
    let reads = (is_active(p) | ((aux & FETCH_ALL) != 0u)) & (covered[p] | ((aux & FETCH_IGNORE_UNCOVERED) == 0u));
    let surface = launches[launch].inputs[number];
    let coordinate = operand(op.y, p);
    var s = coordinate.x;
    var t = coordinate.y;
    if (aux & FETCH_PROJECT) != 0u {
        let q = x1k_rcp(coordinate.z);
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
    deliver(op, p, swizzled(texel.texel, op.z >> OPERAND_CHANNELS_SHIFT));
    if texel.outside & reads & covered[p] {
        let pc = op.w >> CODE_PC_SHIFT;
        point_fault(p, FAULT_INPUT, order_at(group, pc), pc, number, texel.address);
    }
    if ((launches[launch].in_place >> number) & 1u) != 0u {
        let own = (mem_wrap_coordinate(surface.bits, x, 0u, surface.width) == point[p].x)
            & (mem_wrap_coordinate(surface.bits, y, 0u, surface.height) == point[p].y)
            & ((surface.bits & MEM_INP_2X2) == 0u);
        foreign |= select(0u, 1u << number, reads & covered[p] & !own);
    }
}

fn kills(x: u32) -> bool {
    if FAST {
        return fast_kills(x);
    }
    return x1k_kills(x);
}

fn kill(group: Group, op: vec4<u32>, p: u32) {
    let x = operand(op.y, p);
    if (kills(x.x) | kills(x.y) | kills(x.z) | kills(x.w)) & is_active(p) & covered[p] {
        // The point's share of the running segment ends here.
        lane_instructions[p] += (op.w >> CODE_PC_SHIFT) + 1u - group.segment;
        killed[p] += 1u;
        covered[p] = false;
    }
}

// The element index that a coordinate of an uncached write names; 0xffffffff if there is none.
fn uncached_index(x: u32) -> u32 {
    let flushed = x1k_ftz(x);
    let n = x1k_texel_index(flushed);
    return select(bitcast<u32>(n), 0xffffffffu, (n < 0) | x1k_is_nan(flushed));
}

// Red is the value, green and blue are the coordinates, alpha must be 0.
fn uncached(group: Group, op: vec4<u32>, p: u32) {
    if !(passes(op, p) & covered[p] & ((launches[launch].out_mask & 1u) != 0u)) {
        return;
    }
    let pc = op.w >> CODE_PC_SHIFT;
    let order = order_at(group, pc);
    let color = operand(op.y, p);
    let surface = launches[launch].outputs[0];
    let x = uncached_index(color.y);
    let y = uncached_index(color.z);
    let address = mem_address(surface, x, y);
    if !x1k_is_zero(color.w) {
        point_fault(p, FAULT_ALPHA, order, pc, 0u, color.w);
    } else if !mem_is_writable(surface, x, y) {
        let wrong = select(color.z, color.y, x >= surface.pitch);
        point_fault(p, FAULT_UNCACHED_SURFACE, order, pc, 0u, wrong);
    } else if !mem_contains(memory_ranges(), address, 4u) {
        point_fault(p, FAULT_UNCACHED_MEMORY, order, pc, 0u, address);
    } else {
        log_entry(p, LOG_UNCACHED, 0xfu, order, address, vec4<u32>(color.x, 0u, 0u, 0u));
    }
}

// One micro-operation of the second class, for a point.
fn point_op(group: Group, op: vec4<u32>, p: u32) {
    let kind = op.x & CODE_OP;
    if SUMS {
        if (kind == OP_SUM3) | (kind == OP_SUM4) {
            let a = operand(op.y, p);
            deliver_one(op, p, sum(a.x, a.y, a.z, select(a.w, X1K_SIGN, kind == OP_SUM3)));
        }
    }
    if MATH {
        if (kind >= OP_CALCS) & (kind != OP_SUM3) & (kind != OP_SUM4) {
            math_op(op, p);
        }
    }
    if RELATIVE {
        // Programs with relative addresses keep all temporaries, in order.
        let number = (op.w & CODE_AUX) + group.al;
        let channels = op.y >> OPERAND_CHANNELS_SHIFT;
        if kind == OP_LOAD_TEMP {
            deliver(op, p, reg4(p, number & 127u, channels));
        } else if kind == OP_LOAD_CONSTANT {
            deliver(op, p, swizzled(code[launches[launch].floats + (number & 255u)], channels));
        } else if kind == OP_STORE_TEMP {
            set_reg4(p, number & 127u, select(0u, lanes_of(op), passes(op, p)), operand(op.y, p));
        }
    }
    if FETCHES {
        if kind == OP_FETCH {
            fetch(group, op, p);
        }
    }
    if UNCACHED {
        if kind == OP_UNCACHED {
            uncached(group, op, p);
        }
    }
    if KILLS {
        if kind == OP_KILL {
            kill(group, op, p);
        }
    }
}

// ---- the group's life

// More micro-operations than a group takes in one dispatch. Loops end at that number, too. It is never
// reached, but no compiler knows: so none may conclude from a loop's end how it ended, and the tests
// for loops that the driver ended stay.
const MANY: u32 = 0x40000000u;

@compute @workgroup_size(INVOCATIONS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
) {
    lane = invocation;
    let number = workgroup.x;
    var tile = dispatch.first_tile + number;
    var group: Group;
    var stack: Stack;
    if dispatch.table != NO_TABLE {
        let pair = code[dispatch.table + (number >> 1u)];
        let is_odd = (number & 1u) != 0u;
        group.launch = select(pair.x, pair.z, is_odd);
        tile = select(pair.y, pair.w, is_odd);
    }
    launch = group.launch;
    group.ops = launches[group.launch].ops;
    clear_shared();
    workgroupBarrier();
    find_registers(number);
    var status = STATUS_NEW;
    if SLICED {
        status = load_state(&group, &stack, number);
    }
    if status == STATUS_ENDED {
        return;
    }
    if status == STATUS_NEW {
        status = start_group(&group, tile);
    } else {
        find_point(group.launch, tile);
    }
    var taken = 0u;
    loop {
        if (status != STATUS_RUNS) | (taken > MANY) {
            break;
        }
        let first = group.next;
        var op: vec4<u32>;
        // With AHEAD, the next micro-operation loads while this one executes. Loading past the last
        // one is safe: other tables follow.
        var ahead: vec4<u32>;
        if AHEAD {
            ahead = operation(group.ops + group.next);
        }
        loop {
            loop {
                if AHEAD {
                    op = ahead;
                    ahead = operation(group.ops + group.next + 1u);
                } else {
                    op = operation(group.ops + group.next);
                }
                group.next += 1u;
                if (op.x & CODE_CLASS) != CLASS_COMMON {
                    break;
                }
                common_op(op);
            }
            if ((op.x & CODE_CLASS) == CLASS_GROUP) | (group.next - first > MANY) {
                break;
            }
            for (var p = 0u; p < POINTS; p++) {
                point_op(group, op, p);
            }
        }
        taken += group.next - first;
        if SLICED {
            if (taken > dispatch.slice) & ((op.x & CODE_OP) == OP_FLOW) {
                // The next slice executes the instruction.
                group.next -= 1u;
                status = STATUS_RESTS;
                continue;
            }
        }
        status = group_op(&group, &stack, op);
    }
    if (status == STATUS_RUNS) | (status == STATUS_CUT) {
        // Reached only if the driver ends loops by itself.
        atomicStore(&results[HEAD_CUT], 1u);
    }
    if SLICED {
        save_state(&group, &stack, number, status);
    }
    if status != STATUS_RESTS {
        end_group(&group, status);
    }
}
