// Slices: a group that has taken many steps is saved in `state` and resumes in the next dispatch.
//
// Word n of a group's points is at 64 n + slot of the group's part. The first words are the group's:
// its status, what `Group` has without the launch, the stack.
const GROUP_WORDS: u32 = 15u;

var<workgroup> group_words: array<u32, GROUP_WORDS>;

var<private> state_at: u32;

// Loads a word of the point, or saves it.
fn moved(word: u32, loads: bool) -> u32 {
    let at = state_at;
    state_at += 64u;
    if loads {
        return state[at];
    }
    state[at] = word;
    return word;
}

// Loads what the point has, or saves it.
fn move_point(group_at: u32, loads: bool) {
    state_at = group_at + (GROUP_WORDS + STACK_WORDS + 63u) / 64u * 64u + lane;
    let own = select(0u, 1u, covered) | select(0u, 2u, started) | select(0u, 4u, waits);
    let flags = moved(own, loads);
    covered = (flags & 1u) != 0u;
    started = (flags & 2u) != 0u;
    waits = (flags & 4u) != 0u;
    masks = moved(masks, loads);
    predicates = moved(predicates, loads);
    written = moved(written, loads);
    foreign = moved(foreign, loads);
    lane_instructions = moved(lane_instructions, loads);
    fetches = moved(fetches, loads);
    killed = moved(killed, loads);
    counter = moved(counter, loads);
    broken = moved(broken, loads);
    continued = moved(continued, loads);
    fault_kinds = moved(fault_kinds, loads);
    // The bounds are not constants, so that the compiler does not unroll the loops.
    for (var kinds = fault_kinds; kinds != 0u; kinds &= kinds - 1u) {
        let kind = firstTrailingBit(kinds);
        for (var n = 0u; n < 4u; n++) {
            point_faults[kind][n] = moved(point_faults[kind][n], loads);
        }
    }
    if SAVES_ROWS {
        for (var n = 0u; n < launches[launch].uniform_row; n++) {
            set_reg(n, moved(reg(n), loads));
        }
    }
}

fn save_state(group: Group, number: u32, status: u32) {
    let group_at = number * dispatch.state_words * 64u;
    if lane == 0u {
        if status == STATUS_RESTS {
            atomicAdd(&results[HEAD_RESTING], 1u);
        }
        state[group_at] = select(STATUS_ENDED, STATUS_RUNS, status == STATUS_RESTS);
        state[group_at + 1u] = group.next;
        state[group_at + 2u] = group.segment;
        state[group_at + 3u] = group.executed;
        state[group_at + 4u] = group.last_pc;
        state[group_at + 5u] = group.al;
        state[group_at + 6u] = group.depth;
        state[group_at + 7u] = group.calls;
        state[group_at + 8u] = group.left;
        for (var n = 0u; n < 6u; n++) {
            state[group_at + 9u + n] = group.counted[n];
        }
    }
    if status == STATUS_RESTS {
        workgroupBarrier();
        for (var n = lane; n < STACK_WORDS; n += 64u) {
            state[group_at + GROUP_WORDS + n] = stack[n];
        }
        move_point(group_at, false);
    }
}

// Returns the group's status; STATUS_NEW if it has not started.
fn load_state(group: ptr<function, Group>, number: u32) -> u32 {
    let group_at = number * dispatch.state_words * 64u;
    if lane < GROUP_WORDS {
        group_words[lane] = state[group_at + lane];
    }
    let words = workgroupUniformLoad(&group_words);
    if words[0] != STATUS_RUNS {
        // Workgroup memory holds anything at first, and all of the stack is saved.
        for (var n = lane; n < STACK_WORDS; n += 64u) {
            stack[n] = 0u;
        }
        return same(words[0]);
    }
    (*group).next = same(words[1]);
    (*group).segment = same(words[2]);
    (*group).executed = same(words[3]);
    (*group).last_pc = same(words[4]);
    (*group).al = same(words[5]);
    (*group).depth = same(words[6]);
    (*group).calls = same(words[7]);
    (*group).left = same(words[8]);
    for (var n = 0u; n < 6u; n++) {
        (*group).counted[n] = words[9u + n];
    }
    for (var n = lane; n < STACK_WORDS; n += 64u) {
        stack[n] = state[group_at + GROUP_WORDS + n];
    }
    workgroupBarrier();
    if SAVES_ROWS {
        start_registers(launches[launch].temporaries);
    }
    move_point(group_at, true);
    return STATUS_RUNS;
}
