// The processor array: one workgroup runs one group of 64 points over encoded micro-operations, an
// invocation for each point.
//
// State that all points of a group share is in a `Group`, a variable of the entry point: WGSL's rules can
// prove such a variable uniform, and barriers are valid only where control flow is. Functions that have
// barriers get a pointer to it, others a copy. What each point has of its own is in private variables
// and in its registers. Points meet at a barrier only where they have to agree (group.wgsl).
//
// The host has decoded everything (crates/shade/src/abi/encode.rs): a micro-operation names the rows
// that each of its lanes reads and writes. So the loops only choose a case, read, compute and write. All
// choices depend on the micro-operation alone, which is the same for the group. The loops are nested by
// how rare a class is: operations on one lane, on four, of the point, of the group.
//
// Switches of a variant: FAST (mode), MATH (transcendentals and FRC), SUMS (dot products), FETCHES,
// RELATIVE (aL), UNCACHED, KILLS, QUADS, FLOWS, CONDITIONS, STARTS (interpolants and initial data),
// STATISTICS, SLICED, SUBGROUPS. ROWS is the size of the register file.

// ---- the point

// Its slot in the group, 0 to 63. Points of a group are ordered by it.
var<private> lane: u32;
var<private> point: vec2<u32>;
// The same as in the group, for what does not decide on control flow.
var<private> launch: u32;
var<private> covered: bool;
var<private> started: bool;
// The writes that this point makes, as bits: MASK_ALWAYS, MASK_ACTIVE, MASK_GATED.
var<private> masks: u32;
// Bits 3:0 predicates, bit 4 the ALU result.
var<private> predicates: u32;
// Bits 15:0 channels of held outputs that were written, bit 16 the own conditional value.
var<private> written: u32;
// Bit n: input n is written in place, and the point fetched another point's element from it.
var<private> foreign: u32;

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

var<private> lane_instructions: u32;
var<private> fetches: u32;
var<private> killed: u32;

fn is_active() -> bool {
    return (masks & MASK_ACTIVE) != 0u;
}

// Whether a micro-operation writes for the point: `masks` has no other bits than its head's lowest.
fn passes(head: u32) -> bool {
    return (masks & head) != 0u;
}

// Writes a row, if the micro-operation writes for the point.
fn put(head: u32, row: u32, value: u32) {
    if passes(head) {
        set_reg(row, value);
    }
}

// The row that a micro-operation of one lane writes.
fn row_of(head: u32) -> u32 {
    return head >> CODE_ROW_SHIFT;
}

fn operation_of(head: u32) -> u32 {
    return (head >> CODE_OP_SHIFT) & CODE_OP;
}

// Group instructions executed before the one at `pc`.
fn order_at(group: Group, pc: u32) -> u32 {
    return group.executed + (pc - group.segment);
}

// ---- operands: a row, then absolute value, negation, flush

fn operand(word: u32) -> u32 {
    let value = (reg(word & OPERAND_ROW) & ~((word << 1u) & X1K_SIGN)) ^ (word & X1K_SIGN);
    return select(value, x1k_ftz(value), (word & OPERAND_FLUSH) != 0u);
}

fn reg4(rows: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(reg(rows.x), reg(rows.y), reg(rows.z), reg(rows.w));
}

fn operand4(words: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(operand(words.x), operand(words.y), operand(words.z), operand(words.w));
}

fn put4(head: u32, rows: vec4<u32>, value: vec4<u32>) {
    if passes(head) {
        set_reg(rows.x, value.x);
        set_reg(rows.y, value.y);
        set_reg(rows.z, value.z);
        set_reg(rows.w, value.w);
    }
}

// ---- operations on lanes. They return their number of vec4s.

fn multiply_add(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    if FAST {
        return fast_mad(a, b, c, zero_times);
    }
    return x1k_mad_flushed(a, b, c, zero_times);
}

fn multiply_add4(a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, zero_times: bool) -> vec4<u32> {
    return vec4<u32>(
        multiply_add(a.x, b.x, c.x, zero_times),
        multiply_add(a.y, b.y, c.y, zero_times),
        multiply_add(a.z, b.z, c.z, zero_times),
        multiply_add(a.w, b.w, c.w, zero_times),
    );
}

// MIN, MAX, CND and CMP: a if `less` is below `more`, else b.
fn choice(a: u32, b: u32, less: u32, more: u32) -> u32 {
    return select(b, a, x1k_less(less, more));
}

fn one_lane(op: vec4<u32>, at: u32) -> u32 {
    let kind = operation_of(op.x);
    let row = row_of(op.x);
    if kind == KIND_MAD {
        put(op.x, row, multiply_add(reg(op.y), reg(op.z), reg(op.w), false));
    } else if kind == KIND_MOV {
        put(op.x, row, reg(op.y));
    } else if kind == KIND_MAD_ANY {
        let zero_times = (op.x & CODE_ZERO_TIMES) != 0u;
        put(op.x, row, multiply_add(operand(op.y), operand(op.z), operand(op.w), zero_times));
    } else if kind == KIND_MOV_ANY {
        put(op.x, row, operand(op.y));
    } else {
        let more = operand(operation(at + 1u).x);
        put(op.x, row, choice(operand(op.y), operand(op.z), operand(op.w), more));
        return 2u;
    }
    return 1u;
}

fn four_lanes(op: vec4<u32>, at: u32) -> u32 {
    let kind = operation_of(op.x);
    let rows = operation(at + 1u);
    let a = operation(at + 2u);
    if kind == KIND_MOV {
        put4(op.x, rows, reg4(a));
        return 3u;
    }
    let b = operation(at + 3u);
    let c = operation(at + 4u);
    if kind == KIND_MAD {
        put4(op.x, rows, multiply_add4(reg4(a), reg4(b), reg4(c), false));
        return 5u;
    }
    if kind == KIND_MAD_ANY {
        let zero_times = (op.x & CODE_ZERO_TIMES) != 0u;
        put4(op.x, rows, multiply_add4(operand4(a), operand4(b), operand4(c), zero_times));
        return 5u;
    }
    let first = reg4(a);
    let second = reg4(b);
    let less = reg4(c);
    let more = reg4(operation(at + 5u));
    put4(op.x, rows, vec4<u32>(
        choice(first.x, second.x, less.x, more.x),
        choice(first.y, second.y, less.y, more.y),
        choice(first.z, second.z, less.z, more.z),
        choice(first.w, second.w, less.w, more.w),
    ));
    return 6u;
}

// ---- operations of one point

// Gate: whether the point passes all of `aux`, as a bit.
fn gate_bit(aux: u32) -> u32 {
    let need = aux & GATE_PASS;
    let fail = (aux >> GATE_FAIL_SHIFT) & GATE_PASS;
    let active_or_all = is_active() | ((aux & GATE_ALL) != 0u);
    let agrees = ((predicates & need) == need) & ((predicates & fail) == 0u);
    let inside = covered | ((aux & GATE_COVERED) == 0u);
    return select(0u, MASK_GATED, active_or_all & agrees & inside);
}

fn sum(terms: vec4<u32>) -> u32 {
    if FAST {
        return fast_sum4(terms.x, terms.y, terms.z, terms.w);
    }
    return x1k_sum4(terms.x, terms.y, terms.z, terms.w);
}

fn scaled(a: u32, b: u32) -> u32 {
    if FAST {
        return fast_product(a, b);
    }
    return x1k_scale(a, b);
}

// `rows`: for up to four lanes the row, and above it the channel of the texel that it gets.
fn fetch(group: Group, op: vec4<u32>, coordinate: vec4<u32>, rows: vec4<u32>) {
    let aux = op.y;
    let number = aux & FETCH_INPUT;
    fetches += select(0u, 1u, is_active() & covered);
    if (aux & FETCH_DEAD) != 0u {
        return;
    }
    let reads = (is_active() | ((aux & FETCH_ALL) != 0u)) & (covered | ((aux & FETCH_IGNORE_UNCOVERED) == 0u));
    let surface = launches[launch].inputs[number];
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
    for (var n = 0u; n < 4u; n++) {
        let row = rows[n] & OPERAND_ROW;
        if row != NO_ROW {
            put(op.x, row, texel.texel[rows[n] >> FETCH_CHANNEL_SHIFT]);
        }
    }
    if texel.outside & reads & covered {
        point_fault(FAULT_INPUT, order_at(group, op.z), op.z, number, texel.address);
    }
    if ((launches[launch].in_place >> number) & 1u) != 0u {
        let own = (mem_wrap_coordinate(surface.bits, x, 0u, surface.width) == point.x)
            & (mem_wrap_coordinate(surface.bits, y, 0u, surface.height) == point.y)
            & ((surface.bits & MEM_INP_2X2) == 0u);
        foreign |= select(0u, 1u << number, reads & covered & !own);
    }
}

fn kills(x: u32) -> bool {
    if FAST {
        return fast_kills(x);
    }
    return x1k_kills(x);
}

fn kill(group: Group, pc: u32, x: vec4<u32>) {
    if (kills(x.x) | kills(x.y) | kills(x.z) | kills(x.w)) & is_active() & covered {
        // The point's share of the running segment ends here.
        lane_instructions += pc + 1u - group.segment;
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

// Red is the value, green and blue are the coordinates, alpha must be 0.
fn uncached(group: Group, op: vec4<u32>, color: vec4<u32>) {
    if !(passes(op.x) & covered & ((launches[launch].out_mask & 1u) != 0u)) {
        return;
    }
    let pc = op.z;
    let order = order_at(group, pc);
    let surface = launches[launch].outputs[0];
    let x = uncached_index(color.y);
    let y = uncached_index(color.z);
    let address = mem_address(surface, x, y);
    if !x1k_is_zero(color.w) {
        point_fault(FAULT_ALPHA, order, pc, 0u, color.w);
    } else if !mem_is_writable(surface, x, y) {
        let wrong = select(color.z, color.y, x >= surface.pitch);
        point_fault(FAULT_UNCACHED_SURFACE, order, pc, 0u, wrong);
    } else if !mem_contains(memory_ranges(), address, 4u) {
        point_fault(FAULT_UNCACHED_MEMORY, order, pc, 0u, address);
    } else {
        log_entry(LOG_UNCACHED, 0xfu, order, address, vec4<u32>(color.x, 0u, 0u, 0u));
    }
}

// A micro-operation of the point. Returns its number of vec4s.
fn point_op(group: Group, op: vec4<u32>, at: u32) -> u32 {
    let kind = operation_of(op.x);
    let row = row_of(op.x);
    if kind == OP_OUTPUT {
        written |= select(0u, op.y, passes(op.x));
    } else if kind == OP_SET_BIT {
        let bit = select(0u, op.w, x1k_compare(op.z, operand(op.y)));
        predicates = select(predicates, (predicates & ~op.w) | bit, passes(op.x));
    } else if kind == OP_GATE {
        masks = (masks & ~MASK_GATED) | gate_bit(op.y);
    } else if kind == OP_FINISH {
        put(op.x, row, x1k_clamp01(reg(op.y)));
    }
    if MATH {
        if kind >= OP_CALCS {
            if (kind != OP_FINISH) & (kind != OP_SUM4) {
                put(op.x, row, math(kind, operand(op.y)));
            }
        }
    }
    if RELATIVE {
        // Programs with relative addresses keep all temporaries, in order.
        let number = op.y + group.al;
        if kind == OP_LOAD_TEMP {
            put(op.x, row, reg(((number & 127u) << 2u) + op.z));
        } else if kind == OP_LOAD_CONSTANT {
            put(op.x, row, code[launches[launch].floats + (number & 255u)][op.z]);
        } else if kind == OP_STORE_TEMP {
            put(op.x, ((number & 127u) << 2u) + op.z, operand(op.w));
        }
    }
    if (op.x & CODE_ACROSS) == 0u {
        return 1u;
    }
    let across = operand4(operation(at + 1u));
    if SUMS {
        if kind == OP_SUM4 {
            put(op.x, row, sum(across));
        }
    }
    if UNCACHED {
        if kind == OP_UNCACHED {
            uncached(group, op, across);
        }
    }
    if KILLS {
        if kind == OP_KILL {
            kill(group, op.z, across);
        }
    }
    if FETCHES {
        if kind == OP_FETCH {
            fetch(group, op, across, operation(at + 2u));
            return 3u;
        }
    }
    return 2u;
}

// ---- the group's life

// More vec4s than a group takes in one dispatch. Loops end at that number, too. It is never reached, but
// no compiler knows: so none may conclude from a loop's end how it ended, and the tests for loops that
// the driver ended stay.
const MANY: u32 = 0x40000000u;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) invocation: u32,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    x1k_zero = groups.z - 1u;
    lane = invocation;
    let number = workgroup.x;
    var tile = dispatch.first_tile + number;
    var group: Group;
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
        status = load_state(&group, number);
    }
    if status == STATUS_ENDED {
        return;
    }
    find_point(group.launch, tile);
    if status == STATUS_NEW {
        status = start_group(&group);
    }
    var taken = 0u;
    loop {
        if (status != STATUS_RUNS) | (taken > MANY) {
            break;
        }
        let first = group.next;
        var op: vec4<u32>;
        loop {
            loop {
                loop {
                    op = operation(group.ops + group.next);
                    if (op.x & CODE_CLASS) != CLASS_ONE {
                        break;
                    }
                    group.next += one_lane(op, group.ops + group.next);
                }
                if (op.x & CODE_CLASS) != CLASS_FOUR {
                    break;
                }
                group.next += four_lanes(op, group.ops + group.next);
            }
            if ((op.x & CODE_CLASS) == CLASS_GROUP) | (group.next - first > MANY) {
                break;
            }
            group.next += point_op(group, op, group.ops + group.next);
        }
        group.next += 1u;
        taken += group.next - first;
        if SLICED {
            if (taken > dispatch.slice) & (operation_of(op.x) == OP_FLOW) {
                // The next slice executes the instruction.
                group.next -= 1u;
                status = STATUS_RESTS;
                continue;
            }
        }
        status = same(group_op(&group, op));
        group.next = same(group.next);
    }
    if (status == STATUS_RUNS) | (status == STATUS_CUT) {
        // Reached only if the driver ends loops by itself.
        atomicStore(&results[HEAD_CUT], 1u);
    }
    if SLICED {
        save_state(group, number, status);
    }
    if status != STATUS_RESTS {
        end_group(&group, status);
    }
}
