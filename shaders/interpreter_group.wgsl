// Operations of the whole group: flow control, the quad, slices.

// ---- exchange

// What points give each other, by slot. There is a barrier before others read it, and one before they
// give again.
var<workgroup> exchange: array<vec4<u32>, 64>;

// ---- stacks

// What the innermost loop hides, in parts of STACK_DEPTH words: the iterations left of the loop around
// loop n; aL before loop n; the return slot of entry n of the address stack. Like `Group`, the stack is
// a variable of the entry point.
const STACK_AL: u32 = STACK_DEPTH;
const STACK_RETURN: u32 = 2u * STACK_DEPTH;
const STACK_WORDS: u32 = 3u * STACK_DEPTH;

struct Stack {
    words: array<u32, STACK_WORDS>,
}

// ---- the course of a group

fn update_active(p: u32) {
    let now = !waits[p] & (broken[p] == 0u) & (continued[p] == 0u);
    masks[p] = (masks[p] & ~MASK_ACTIVE) | select(0u, MASK_ACTIVE, now);
}

// Instructions of each type in the slots before `pc`: ALU, OUT, TEX | fetching TEX, FC.
fn counts_before(number: u32, pc: u32) -> vec2<u32> {
    let two = code[launches[number].counts + (pc >> 1u)];
    return select(two.xy, two.zw, (pc & 1u) != 0u);
}

// Accounts for the instructions from the start of the segment up to, not including, slot `end`. Begins
// a new segment there.
fn close_segment(group: ptr<function, Group>, end: u32) {
    let begin = (*group).segment;
    let count = max(end, begin) - begin;
    (*group).executed += count;
    for (var p = 0u; p < POINTS; p++) {
        lane_instructions[p] += select(0u, count, is_active(p) & covered[p]);
    }
    if STATISTICS {
        let number = (*group).launch;
        let more = counts_before(number, max(end, begin)) - counts_before(number, begin);
        (*group).counted[0] += more.x & 0x3ffu;
        (*group).counted[1] += (more.x >> 10u) & 0x3ffu;
        (*group).counted[2] += more.x >> 20u;
        (*group).counted[3] += more.y & 0xffffu;
        (*group).counted[4] += more.y >> 16u;
    }
    (*group).segment = end;
}

// ---- flow control

fn entry_of(number: u32, pc: u32) -> u32 {
    return code[launches[number].entries + (pc >> 2u)][pc & 3u];
}

// Whether a point wishes to jump.
fn wish(flow: vec4<u32>, p: u32) -> bool {
    let boolean = (launches[launch].booleans >> ((flow.z >> 8u) & 31u)) & 1u;
    let number = flow.x >> 24u;
    let own = ((predicates[p] >> (number & 3u)) & 1u) | select(0u, 1u, number > 3u);
    let predicate = own ^ select(0u, 1u, ((flow.y >> 24u) & FLOW_INVERT) != 0u);
    let result = (predicates[p] >> 4u) & 1u;
    return (((flow.x >> 8u) >> ((result << 2u) | (predicate << 1u) | boolean)) & 1u) != 0u;
}

fn pop_frame(group: ptr<function, Group>, stack: ptr<function, Stack>, restore: bool) {
    let top = (*group).depth - 1u;
    (*group).depth = top;
    for (var p = 0u; p < POINTS; p++) {
        broken[p] &= ~(1u << top);
        continued[p] &= ~(1u << top);
    }
    (*group).left = (*stack).words[top];
    (*group).al = select((*group).al, (*stack).words[STACK_AL + top], restore);
}

// A flow-control instruction. Before the vote it changes nothing of the point's state that a group
// fault could not discard.
fn flow_op(group: ptr<function, Group>, stack: ptr<function, Stack>, op: vec4<u32>) -> u32 {
    let number = (*group).launch;
    let pc = op.w >> CODE_PC_SHIFT;
    close_segment(group, pc);
    (*group).last_pc = pc;
    if (*group).executed > launches[number].limit {
        return STATUS_FAULT + FAULT_BUDGET;
    }
    let flow = code[launches[number].flows + (op.w & CODE_AUX)];
    let kind = flow.x & 0xffu;
    let flags = flow.y >> 24u;
    let depth = (*group).depth;
    let calls = (*group).calls;
    let is_end = (kind == FC_ENDLOOP) | (kind == FC_ENDREP);
    let is_break = (kind == FC_BREAKLOOP) | (kind == FC_BREAKREP);
    let is_continue = kind == FC_CONTINUE;
    let is_enter = (kind == FC_LOOP) | (kind == FC_REP);
    if (is_end | is_break | is_continue) & (depth == 0u) {
        return STATUS_FAULT + FAULT_LOOP_UNDERFLOW;
    }
    let top = depth - select(0u, 1u, depth != 0u);
    let frame = 1u << top;
    let is_else = (flags & FLOW_ELSE) != 0u;
    // What each point was before the vote: bit 0 waited, 1 acts, 2 wishes to jump, 3 counts.
    var before: array<u32, POINTS>;
    var bits = 0u;
    for (var p = 0u; p < POINTS; p++) {
        let counts = is_active(p) & covered[p];
        if is_end {
            continued[p] &= ~frame;
            update_active(p);
        }
        let waited = waits[p];
        let swapped = is_else & is_active(p);
        if is_else {
            exchange_level(p, swapped);
            update_active(p);
        }
        let acts = is_active(p);
        let wishes = wish(flow, p);
        let wants = (acts & wishes) | swapped;
        let ignored = ((flags & FLOW_IGNORE_UNCOVERED) != 0u) & !covered[p];
        let votes_too = (acts | swapped) & !ignored;
        let held_back = waits[p] | (is_break & ((continued[p] & frame) != 0u));
        let deepest = waited & waits[p] & (counter[p] == BRANCH_LIMIT - 1u);
        bits |= select(0u, 1u, votes_too & wants)
            | select(0u, 2u, votes_too & !wants)
            | select(0u, 4u, held_back & !ignored)
            | select(0u, 8u, acts & covered[p] & wishes)
            | select(0u, 16u, acts & covered[p] & !wishes)
            | select(0u, 32u, deepest);
        before[p] = select(0u, 1u, waited) | select(0u, 2u, acts) | select(0u, 4u, wishes)
            | select(0u, 8u, counts);
    }
    (*group).votes += 1u;
    let all = vote((*group).votes, bits);
    let agreed = select((all & 2u) == 0u, (all & 1u) != 0u, (flags & FLOW_ANY) != 0u);
    let integer = code[launches[number].integers + ((flow.z & 31u) >> 2u)][flow.z & 3u];
    let count = integer & 0xffu;
    var jumps = agreed;
    if is_enter {
        jumps = (count == 0u) | (((all & 3u) != 0u) & agreed);
    } else if is_end {
        let had = (*group).left;
        let left = had - select(0u, 1u, had != 0u);
        (*group).left = left;
        jumps = (left != 0u) & agreed;
    } else if is_break | is_continue {
        jumps = ((all & 4u) == 0u) & agreed;
    }
    for (var p = 0u; p < POINTS; p++) {
        let leaves = (before[p] & 6u) == 6u;
        broken[p] |= select(0u, frame, is_break & leaves);
        continued[p] |= select(0u, frame, is_continue & leaves);
    }

    var to = (pc + 1u) & SLOT_MASK;
    if jumps {
        if kind == FC_ENDLOOP {
            (*group).al += bitcast<u32>((bitcast<i32>(integer) << 8u) >> 24u);
        } else if is_break {
            pop_frame(group, stack, kind == FC_BREAKLOOP);
        }
        to = flow.z >> 16u;
        let address = (flow.x >> 16u) & 0xffu;
        if address == ADDRESS_PUSH {
            if calls == STACK_DEPTH {
                return STATUS_FAULT + FAULT_ADDRESS_OVERFLOW;
            }
            (*stack).words[STACK_RETURN + calls] = (pc + 1u) & SLOT_MASK;
            (*group).calls = calls + 1u;
        } else if address == ADDRESS_POP {
            if calls == 0u {
                return STATUS_FAULT + FAULT_ADDRESS_UNDERFLOW;
            }
            (*group).calls = calls - 1u;
            to = (*stack).words[STACK_RETURN + calls - 1u];
        }
    } else if is_enter {
        if depth == STACK_DEPTH {
            return STATUS_FAULT + FAULT_LOOP_OVERFLOW;
        }
        let al = (*group).al;
        (*stack).words[depth] = (*group).left;
        (*stack).words[STACK_AL + depth] = al;
        (*group).left = count;
        (*group).depth = depth + 1u;
        (*group).al = select(al, (integer >> 8u) & 0xffu, kind == FC_LOOP);
    } else if is_end {
        pop_frame(group, stack, kind == FC_ENDLOOP);
    }

    let branch = select(flow.y & 0xffu, (flow.y >> 8u) & 0xffu, jumps);
    if (branch == BRANCH_INCR) & ((all & 32u) != 0u) {
        return STATUS_FAULT + FAULT_BRANCH_OVERFLOW;
    }
    for (var p = 0u; p < POINTS; p++) {
        if branch == BRANCH_DECR {
            wake_levels(p, (flow.y >> 16u) & 0xffu);
        } else if branch == BRANCH_INCR {
            // Points that act and did not wish what happens.
            let disagrees = (before[p] & 6u) == select(6u, 2u, jumps);
            sleep(p, (before[p] & 1u) != 0u, disagrees);
        }
        update_active(p);
        lane_instructions[p] += before[p] >> 3u;
    }
    (*group).counted[4] += 1u;
    (*group).counted[5] += select(0u, 1u, (all & 24u) == 24u);
    (*group).executed += 1u;
    if (flags & FLOW_END) != 0u {
        return STATUS_DONE;
    }
    (*group).segment = to;
    (*group).next = entry_of(number, to);
    return STATUS_RUNS;
}

// ---- operations of the whole group

fn quad_op(op: vec4<u32>) {
    let width = 1u << launches[launch].width_log2;
    let which = op.w & CODE_AUX;
    let other = select(select(0u, 1u, which == 1u), width, which == 2u);
    for (var p = 0u; p < POINTS; p++) {
        exchange[slot_of(p)] = operand(op.y, p);
    }
    workgroupBarrier();
    for (var p = 0u; p < POINTS; p++) {
        let corner = (slot_of(p) & ~1u) & ~width;
        deliver(op, p, exchange[corner + other]);
    }
    workgroupBarrier();
}

// One micro-operation of the third class. Returns the group's status after it.
fn group_op(group: ptr<function, Group>, stack: ptr<function, Stack>, op: vec4<u32>) -> u32 {
    if (op.x & CODE_CLASS) != CLASS_GROUP {
        // The driver ended the loops of the other classes.
        return STATUS_CUT;
    }
    let kind = op.x & CODE_OP;
    let pc = op.w >> CODE_PC_SHIFT;
    if FLOWS {
        if kind == OP_FLOW {
            return flow_op(group, stack, op);
        }
    }
    if QUADS {
        if kind == OP_QUAD {
            quad_op(op);
            return STATUS_RUNS;
        }
    }
    if kind == OP_END {
        (*group).last_pc = pc;
        close_segment(group, pc + 1u);
        return STATUS_DONE;
    }
    if FLOWS {
        if kind == OP_WRAP {
            close_segment(group, pc);
            (*group).segment = 0u;
            (*group).next = entry_of((*group).launch, 0u);
            return STATUS_RUNS;
        }
    }
    // The group reached an empty slot, by running past the end or by jumping beyond it.
    let last = max((*group).segment, pc);
    (*group).last_pc = last;
    close_segment(group, last);
    return STATUS_FAULT + FAULT_MISSING;
}
