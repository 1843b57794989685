// Operations of the whole group: flow control, the quad, slices.

// ---- exchange

// The values that points exchange, by slot. There is a barrier before others read it, and one before they
// give again.
var<workgroup> exchange: array<u32, 64>;

// ---- stacks

// The values that the innermost loop hides, in parts of STACK_DEPTH words: the iterations left of the loop around
// loop n; aL before loop n; the return slot of entry n of the address stack. Only point 0 touches it.
const STACK_AL: u32 = STACK_DEPTH;
const STACK_RETURN: u32 = 2u * STACK_DEPTH;
const STACK_WORDS: u32 = 3u * STACK_DEPTH;

var<workgroup> stack: array<u32, STACK_WORDS>;
var<workgroup> hidden: vec3<u32>;

fn push(at: u32, word: u32) {
    if lane == 0u {
        stack[at] = word;
    }
}

// The words of a loop and of an entry of the address stack, for all points. They meet before and
// afterwards.
fn hidden_by(top: u32, entry: u32) -> vec3<u32> {
    if lane == 0u {
        hidden = vec3<u32>(stack[top], stack[STACK_AL + top], stack[STACK_RETURN + entry]);
    }
    let words = workgroupUniformLoad(&hidden);
    return vec3<u32>(same(words.x), same(words.y), same(words.z));
}

// ---- the course of a group

fn update_active() {
    let now = !waits & (broken == 0u) & (continued == 0u);
    masks = (masks & ~MASK_ACTIVE) | select(0u, MASK_ACTIVE, now);
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
    lane_instructions += select(0u, count, is_active() & covered);
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

// Whether the point wishes to jump.
fn wish(flow: vec4<u32>) -> bool {
    let boolean = (launches[launch].booleans >> ((flow.z >> 8u) & 31u)) & 1u;
    let number = flow.x >> 24u;
    let own = ((predicates >> (number & 3u)) & 1u) | select(0u, 1u, number > 3u);
    let predicate = own ^ select(0u, 1u, ((flow.y >> 24u) & FLOW_INVERT) != 0u);
    let result = (predicates >> 4u) & 1u;
    return (((flow.x >> 8u) >> ((result << 2u) | (predicate << 1u) | boolean)) & 1u) != 0u;
}

fn pop_frame(group: ptr<function, Group>, before: vec3<u32>, restore: bool) {
    let top = (*group).depth - 1u;
    (*group).depth = top;
    broken &= ~(1u << top);
    continued &= ~(1u << top);
    (*group).left = before.x;
    (*group).al = select((*group).al, before.y, restore);
}

// A flow-control instruction. Before the vote it changes nothing of the point's state that a group
// fault could not discard.
fn flow_op(group: ptr<function, Group>, op: vec4<u32>) -> u32 {
    let number = (*group).launch;
    let pc = op.z;
    close_segment(group, pc);
    (*group).last_pc = pc;
    if (*group).executed > launches[number].limit {
        return STATUS_FAULT + FAULT_BUDGET;
    }
    let flow = code[launches[number].flows + op.y];
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
    let around = hidden_by(top, calls - select(0u, 1u, calls != 0u));
    let is_else = (flags & FLOW_ELSE) != 0u;
    let counts = is_active() & covered;
    if is_end {
        continued &= ~frame;
        update_active();
    }
    let waited = waits;
    let swapped = is_else & is_active();
    if is_else {
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
    (*group).votes += 1u;
    let all = vote(
        (*group).votes,
        select(0u, 1u, votes_too & wants)
            | select(0u, 2u, votes_too & !wants)
            | select(0u, 4u, held_back & !ignored)
            | select(0u, 8u, acts & covered & wishes)
            | select(0u, 16u, acts & covered & !wishes)
            | select(0u, 32u, deepest),
    );
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
    broken |= select(0u, frame, is_break & acts & wishes);
    continued |= select(0u, frame, is_continue & acts & wishes);

    var to = (pc + 1u) & SLOT_MASK;
    if jumps {
        if kind == FC_ENDLOOP {
            (*group).al += bitcast<u32>((bitcast<i32>(integer) << 8u) >> 24u);
        } else if is_break {
            pop_frame(group, around, kind == FC_BREAKLOOP);
        }
        to = flow.z >> 16u;
        let address = (flow.x >> 16u) & 0xffu;
        if address == ADDRESS_PUSH {
            if calls == STACK_DEPTH {
                return STATUS_FAULT + FAULT_ADDRESS_OVERFLOW;
            }
            push(STACK_RETURN + calls, (pc + 1u) & SLOT_MASK);
            (*group).calls = calls + 1u;
        } else if address == ADDRESS_POP {
            if calls == 0u {
                return STATUS_FAULT + FAULT_ADDRESS_UNDERFLOW;
            }
            (*group).calls = calls - 1u;
            to = around.z;
        }
    } else if is_enter {
        if depth == STACK_DEPTH {
            return STATUS_FAULT + FAULT_LOOP_OVERFLOW;
        }
        let al = (*group).al;
        push(depth, (*group).left);
        push(STACK_AL + depth, al);
        (*group).left = count;
        (*group).depth = depth + 1u;
        (*group).al = select(al, (integer >> 8u) & 0xffu, kind == FC_LOOP);
    } else if is_end {
        pop_frame(group, around, kind == FC_ENDLOOP);
    }

    let branch = select(flow.y & 0xffu, (flow.y >> 8u) & 0xffu, jumps);
    if (branch == BRANCH_INCR) & ((all & 32u) != 0u) {
        return STATUS_FAULT + FAULT_BRANCH_OVERFLOW;
    }
    if branch == BRANCH_DECR {
        wake_levels((flow.y >> 16u) & 0xffu);
    } else if branch == BRANCH_INCR {
        // Points that act and did not wish what happens.
        sleep(waited, acts & (wishes != jumps));
    }
    update_active();
    lane_instructions += select(0u, 1u, counts);
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

// A row gets what another point of the quad has in one: `op.w` 0 top-left, 1 top-right, 2 bottom-left.
fn quad_op(op: vec4<u32>) {
    let width = 1u << launches[launch].width_log2;
    let other = select(select(0u, 1u, op.w == 1u), width, op.w == 2u);
    exchange[lane] = operand(op.y);
    workgroupBarrier();
    put(op.x, row_of(op.x), exchange[((lane & ~1u) & ~width) + other]);
    workgroupBarrier();
}

// A micro-operation of the whole group, of one vec4. Returns the group's status after it.
fn group_op(group: ptr<function, Group>, op: vec4<u32>) -> u32 {
    if (op.x & CODE_CLASS) != CLASS_GROUP {
        // The driver ended the loops of the other classes.
        return STATUS_CUT;
    }
    let kind = operation_of(op.x);
    let pc = op.z;
    if FLOWS {
        if kind == OP_FLOW {
            return flow_op(group, op);
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
