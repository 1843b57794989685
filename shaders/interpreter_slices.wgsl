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
    state_at = number * dispatch.state_words * 64u + slot;
    if slot == 0u {
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
    for (var n = slot; n < GROUP_WORDS; n += 64u) {
        state[state_at + n - slot] = group_words[n];
    }
    if status != STATUS_RESTS {
        return;
    }
    state_at += (GROUP_WORDS + 63u) / 64u * 64u;
    save(flag(covered, 1u) | flag(started, 2u) | flag(waits, 4u));
    save(masks);
    save(predicates);
    save(written);
    save(foreign);
    save(lane_instructions);
    save(fetches);
    save(killed);
    save(counter);
    save(broken);
    save(continued);
    save(fault_kinds);
    // The bounds are not constants, so that the compiler does not unroll the loops.
    for (var kinds = fault_kinds; kinds != 0u; kinds &= kinds - 1u) {
        let kind = firstTrailingBit(kinds);
        save(fault_word(kind, 0u));
        save(fault_word(kind, 1u));
        save(fault_word(kind, 2u));
        save(fault_word(kind, 3u));
    }
    if SAVES_ROWS {
        for (var n = 0u; n < launches[launch].uniform_row; n++) {
            save(reg(n));
        }
    }
}

// Returns the group's status; STATUS_NEW if it has not started.
fn load_state(group: ptr<function, Group>, stack: ptr<function, Stack>, number: u32) -> u32 {
    state_at = number * dispatch.state_words * 64u + slot;
    for (var n = slot; n < GROUP_WORDS; n += 64u) {
        group_words[n] = state[state_at + n - slot];
    }
    state_at += (GROUP_WORDS + 63u) / 64u * 64u;
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
    let flags = load();
    covered = (flags & 1u) != 0u;
    started = (flags & 2u) != 0u;
    waits = (flags & 4u) != 0u;
    masks = load();
    predicates = load();
    written = load();
    foreign = load();
    lane_instructions = load();
    fetches = load();
    killed = load();
    counter = load();
    broken = load();
    continued = load();
    fault_kinds = load();
    for (var kinds = fault_kinds; kinds != 0u; kinds &= kinds - 1u) {
        let kind = firstTrailingBit(kinds);
        set_fault_word(kind, 0u, load());
        set_fault_word(kind, 1u, load());
        set_fault_word(kind, 2u, load());
        set_fault_word(kind, 3u, load());
    }
    if SAVES_ROWS {
        start_registers(launches[launch].temporaries);
        for (var n = 0u; n < launches[launch].uniform_row; n++) {
            set_reg(n, load());
        }
    }
    return STATUS_RUNS;
}
