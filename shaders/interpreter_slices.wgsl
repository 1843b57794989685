// Slices: a group that has taken many steps is saved in `state` and resumes in the next dispatch.
//
// Word n of a group's points is at 64 n + slot of the group's part. The first words are the group's:
// its status, what `Group` has without the launch, the stack.
const GROUP_STACK: u32 = 15u;
const GROUP_WORDS: u32 = GROUP_STACK + STACK_WORDS;

var<workgroup> group_words: array<u32, GROUP_WORDS>;

var<private> state_at: u32;

fn save(word: u32) {
    state[state_at] = word;
    state_at += 64u;
}

fn load() -> u32 {
    let word = state[state_at];
    state_at += 64u;
    return word;
}

fn flag(on: bool, bit: u32) -> u32 {
    return select(0u, bit, on);
}

fn save_state(group: ptr<function, Group>, stack: ptr<function, Stack>, number: u32, status: u32) {
    let group_at = number * dispatch.state_words * 64u;
    if lane == 0u {
        if status == STATUS_RESTS {
            atomicAdd(&results[HEAD_RESTING], 1u);
        }
        group_words[0] = select(STATUS_ENDED, STATUS_RUNS, status == STATUS_RESTS);
        group_words[1] = (*group).next;
        group_words[2] = (*group).segment;
        group_words[3] = (*group).executed;
        group_words[4] = (*group).last_pc;
        group_words[5] = (*group).al;
        group_words[6] = (*group).depth;
        group_words[7] = (*group).calls;
        group_words[8] = (*group).left;
        for (var n = 0u; n < 6u; n++) {
            group_words[9u + n] = (*group).counted[n];
        }
        for (var n = 0u; n < STACK_WORDS; n++) {
            group_words[GROUP_STACK + n] = (*stack).words[n];
        }
    }
    workgroupBarrier();
    for (var n = lane; n < GROUP_WORDS; n += INVOCATIONS) {
        state[group_at + n] = group_words[n];
    }
    if status != STATUS_RESTS {
        return;
    }
    for (var p = 0u; p < POINTS; p++) {
        state_at = group_at + (GROUP_WORDS + 63u) / 64u * 64u + slot_of(p);
        save_point(p);
    }
}

fn save_point(p: u32) {
    save(flag(covered[p], 1u) | flag(started[p], 2u) | flag(waits[p], 4u));
    save(masks[p]);
    save(predicates[p]);
    save(written[p]);
    // Each point gets the bits of its invocation.
    save(foreign);
    save(lane_instructions[p]);
    save(fetches[p]);
    save(killed[p]);
    save(counter[p]);
    save(broken[p]);
    save(continued[p]);
    save(fault_kinds[p]);
    // The bounds are not constants, so that the compiler does not unroll the loops.
    for (var kinds = fault_kinds[p]; kinds != 0u; kinds &= kinds - 1u) {
        let kind = firstTrailingBit(kinds);
        save(fault_word(p, kind, 0u));
        save(fault_word(p, kind, 1u));
        save(fault_word(p, kind, 2u));
        save(fault_word(p, kind, 3u));
    }
    if SAVES_ROWS {
        for (var n = 0u; n < launches[launch].uniform_row; n++) {
            save(reg(p, n));
        }
    }
}

// Returns the group's status; STATUS_NEW if it has not started.
fn load_state(group: ptr<function, Group>, stack: ptr<function, Stack>, number: u32) -> u32 {
    let group_at = number * dispatch.state_words * 64u;
    for (var n = lane; n < GROUP_WORDS; n += INVOCATIONS) {
        group_words[n] = state[group_at + n];
    }
    let words = workgroupUniformLoad(&group_words);
    if words[0] != STATUS_RUNS {
        return words[0];
    }
    (*group).next = words[1];
    (*group).segment = words[2];
    (*group).executed = words[3];
    (*group).last_pc = words[4];
    (*group).al = words[5];
    (*group).depth = words[6];
    (*group).calls = words[7];
    (*group).left = words[8];
    for (var n = 0u; n < 6u; n++) {
        (*group).counted[n] = words[9u + n];
    }
    for (var n = 0u; n < STACK_WORDS; n++) {
        (*stack).words[n] = words[GROUP_STACK + n];
    }
    if SAVES_ROWS {
        start_registers(launches[launch].temporaries);
    }
    for (var p = 0u; p < POINTS; p++) {
        state_at = group_at + (GROUP_WORDS + 63u) / 64u * 64u + slot_of(p);
        load_point(p);
    }
    return STATUS_RUNS;
}

fn load_point(p: u32) {
    let flags = load();
    covered[p] = (flags & 1u) != 0u;
    started[p] = (flags & 2u) != 0u;
    waits[p] = (flags & 4u) != 0u;
    masks[p] = load();
    predicates[p] = load();
    written[p] = load();
    foreign = load();
    lane_instructions[p] = load();
    fetches[p] = load();
    killed[p] = load();
    counter[p] = load();
    broken[p] = load();
    continued[p] = load();
    fault_kinds[p] = load();
    for (var kinds = fault_kinds[p]; kinds != 0u; kinds &= kinds - 1u) {
        let kind = firstTrailingBit(kinds);
        set_fault_word(p, kind, 0u, load());
        set_fault_word(p, kind, 1u, load());
        set_fault_word(p, kind, 2u, load());
        set_fault_word(p, kind, 3u, load());
    }
    if SAVES_ROWS {
        for (var n = 0u; n < launches[launch].uniform_row; n++) {
            set_reg(p, n, load());
        }
    }
}
