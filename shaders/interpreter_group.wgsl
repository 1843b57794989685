// Operations of the whole group: flow control, the quad, slices.

// ---- exchange

var<workgroup> exchange: array<u32, 64>;

// The value that the point in slot `source` gave.
fn exchanged(given: u32, source: u32) -> u32 {
    exchange[slot] = given;
    workgroupBarrier();
    let taken = exchange[source];
    workgroupBarrier();
    return taken;
}

// ---- stacks

// Depths of the loop stack and the address stack. Word n of `frames` holds the iterations left of loop
// frame n and, above them, the return slot of entry n of the address stack.
var<private> depth: u32;
var<private> calls: u32;

// ---- statistics

// Group instructions executed: ALU, OUT, TEX, fetching TEX, FC, and divergent FC.
var<private> counted_alu: u32;
var<private> counted_out: u32;
var<private> counted_tex: u32;
var<private> counted_fetching: u32;
var<private> counted_fc: u32;
var<private> counted_divergent: u32;
// Slot of the last instruction executed.
var<private> last_pc: u32;

fn update_active() {
    let now = !waits & (broken == 0u) & (continued == 0u);
    masks = (masks & ~MASK_ACTIVE) | select(0u, MASK_ACTIVE, now);
}

// Instructions of each type in the slots before `pc`: ALU, OUT, TEX | fetching TEX, FC.
fn counts_before(pc: u32) -> vec2<u32> {
    let two = code[launches[launch].counts + (pc >> 1u)];
    return select(two.xy, two.zw, (pc & 1u) != 0u);
}

// Accounts for the instructions from the start of the segment up to, not including, slot `end`. Begins
// a new segment there.
fn close_segment(end: u32) {
    let count = max(end, segment) - segment;
    executed += count;
    lane_instructions += select(0u, count, is_active() & covered);
    if STATISTICS {
        let more = counts_before(max(end, segment)) - counts_before(segment);
        counted_alu += more.x & 0x3ffu;
        counted_out += (more.x >> 10u) & 0x3ffu;
        counted_tex += more.x >> 20u;
        counted_fetching += more.y & 0xffffu;
        counted_fc += more.y >> 16u;
    }
    segment = end;
}

// ---- flow control

fn entry_of(pc: u32) -> u32 {
    return code[launches[launch].entries + (pc >> 2u)][pc & 3u];
}

// Whether this point wishes to jump.
fn wish(flow: vec4<u32>) -> bool {
    let boolean = (launches[launch].booleans >> ((flow.z >> 8u) & 31u)) & 1u;
    let number = flow.x >> 24u;
    let own = ((predicates >> (number & 3u)) & 1u) | select(0u, 1u, number > 3u);
    let predicate = own ^ select(0u, 1u, ((flow.y >> 24u) & FLOW_INVERT) != 0u);
    let result = (predicates >> 4u) & 1u;
    return (((flow.x >> 8u) >> ((result << 2u) | (predicate << 1u) | boolean)) & 1u) != 0u;
}

fn pop_frame(restore: bool) {
    depth -= 1u;
    broken &= ~(1u << depth);
    continued &= ~(1u << depth);
    al = select(al, saved_al(depth), restore);
}

// A flow-control instruction. Before the vote it changes nothing of the point's state that a group
// fault could not discard.
fn flow_op(op: vec4<u32>) -> u32 {
    let pc = op.w >> CODE_PC_SHIFT;
    close_segment(pc);
    last_pc = pc;
    if executed > launches[launch].limit {
        return STATUS_FAULT + FAULT_BUDGET;
    }
    let flow = code[launches[launch].flows + (op.x >> CODE_AUX_SHIFT)];
    let kind = flow.x & 0xffu;
    let flags = flow.y >> 24u;
    let lanes = is_active() & covered;
    let is_end = (kind == FC_ENDLOOP) | (kind == FC_ENDREP);
    let is_break = (kind == FC_BREAKLOOP) | (kind == FC_BREAKREP);
    let is_continue = kind == FC_CONTINUE;
    let is_enter = (kind == FC_LOOP) | (kind == FC_REP);
    if (is_end | is_break | is_continue) & (depth == 0u) {
        return STATUS_FAULT + FAULT_LOOP_UNDERFLOW;
    }
    let top = depth - select(0u, 1u, depth != 0u);
    let frame = 1u << top;
    if is_end {
        continued &= ~frame;
        update_active();
    }
    let waited = waits;
    let swapped = ((flags & FLOW_ELSE) != 0u) & is_active();
    if (flags & FLOW_ELSE) != 0u {
        exchange_level(swapped);
        update_active();
    }
    let acts = is_active();
    let wishes = wish(flow);
    let wants = (acts & wishes) | swapped;
    let ignored = ((flags & FLOW_IGNORE_UNCOVERED) != 0u) & !covered;
    let votes_too = (acts | swapped) & !ignored;
    let held_back = waits | (is_break & ((continued & frame) != 0u));
    let deepest = waited & waits & (counter == BRANCH_LIMIT - 1u);
    let all = vote(
        select(0u, 1u, votes_too & wants)
            | select(0u, 2u, votes_too & !wants)
            | select(0u, 4u, held_back & !ignored)
            | select(0u, 8u, acts & covered & wishes)
            | select(0u, 16u, acts & covered & !wishes)
            | select(0u, 32u, deepest),
    );
    let agreed = select((all & 2u) == 0u, (all & 1u) != 0u, (flags & FLOW_ANY) != 0u);
    let integer = code[launches[launch].integers + ((flow.z & 31u) >> 2u)][flow.z & 3u];
    let count = integer & 0xffu;
    var jumps = agreed;
    if is_enter {
        jumps = (count == 0u) | (((all & 3u) != 0u) & agreed);
    } else if is_end {
        let frame_now = frame_word(top);
        let had = frame_now & 0xffu;
        let left = had - select(0u, 1u, had != 0u);
        set_frame_word(top, (frame_now & ~0xffu) | left);
        jumps = (left != 0u) & agreed;
    } else if is_break | is_continue {
        jumps = ((all & 4u) == 0u) & agreed;
    }
    broken |= select(0u, frame, is_break & acts & wishes);
    continued |= select(0u, frame, is_continue & acts & wishes);

    var to = (pc + 1u) & SLOT_MASK;
    if jumps {
        if kind == FC_ENDLOOP {
            al += bitcast<u32>((bitcast<i32>(integer) << 8u) >> 24u);
        } else if is_break {
            pop_frame(kind == FC_BREAKLOOP);
        }
        to = flow.z >> 16u;
        let address = (flow.x >> 16u) & 0xffu;
        if address == ADDRESS_PUSH {
            if calls == STACK_DEPTH {
                return STATUS_FAULT + FAULT_ADDRESS_OVERFLOW;
            }
            set_frame_word(calls, (frame_word(calls) & 0xffu) | (((pc + 1u) & SLOT_MASK) << 8u));
            calls += 1u;
        } else if address == ADDRESS_POP {
            if calls == 0u {
                return STATUS_FAULT + FAULT_ADDRESS_UNDERFLOW;
            }
            calls -= 1u;
            to = frame_word(calls) >> 8u;
        }
    } else if is_enter {
        if depth == STACK_DEPTH {
            return STATUS_FAULT + FAULT_LOOP_OVERFLOW;
        }
        set_frame_word(depth, (frame_word(depth) & ~0xffu) | count);
        set_saved_al(depth, al);
        depth += 1u;
        al = select(al, (integer >> 8u) & 0xffu, kind == FC_LOOP);
    } else if is_end {
        pop_frame(kind == FC_ENDLOOP);
    }

    let branch = select(flow.y & 0xffu, (flow.y >> 8u) & 0xffu, jumps);
    let disagrees = acts & (wishes != jumps);
    if branch == BRANCH_DECR {
        wake_levels((flow.y >> 16u) & 0xffu);
    } else if branch == BRANCH_INCR {
        if (all & 32u) != 0u {
            return STATUS_FAULT + FAULT_BRANCH_OVERFLOW;
        }
        sleep(waited, disagrees);
    }
    update_active();
    counted_fc += 1u;
    counted_divergent += select(0u, 1u, (all & 24u) == 24u);
    lane_instructions += select(0u, 1u, lanes);
    executed += 1u;
    if (flags & FLOW_END) != 0u {
        return STATUS_DONE;
    }
    segment = to;
    next = entry_of(to);
    return STATUS_RUNS;
}

// ---- operations of the whole group

fn quad_op(op: vec4<u32>) {
    let width = 1u << launches[launch].width_log2;
    let corner = (slot & ~1u) & ~width;
    let which = op.x >> CODE_AUX_SHIFT;
    let source = corner + select(select(0u, 1u, which == 1u), width, which == 2u);
    set_reg(op.w & CODE_ROW, exchanged(operand(op.y & 0xffffu), source));
}

// One micro-operation of the third class. Returns the group's status after it.
fn group_op(op: vec4<u32>) -> u32 {
    if (op.x & CODE_CLASS) != CLASS_GROUP {
        // The driver ended the loops of the other classes.
        return STATUS_CUT;
    }
    let kind = op.x & CODE_OP;
    let pc = op.w >> CODE_PC_SHIFT;
    if FLOWS {
        if kind == OP_FLOW {
            return flow_op(op);
        }
    }
    if QUADS {
        if kind == OP_QUAD {
            quad_op(op);
            return STATUS_RUNS;
        }
    }
    if kind == OP_END {
        last_pc = pc;
        close_segment(pc + 1u);
        return STATUS_DONE;
    }
    if FLOWS {
        if kind == OP_WRAP {
            close_segment(pc);
            segment = 0u;
            next = entry_of(0u);
            return STATUS_RUNS;
        }
    }
    // The group reached an empty slot, by running past the end or by jumping beyond it.
    last_pc = max(segment, pc);
    close_segment(last_pc);
    return STATUS_FAULT + FAULT_MISSING;
}
