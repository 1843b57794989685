// Slices: a group that has taken many steps is saved in `state` and resumes in the next dispatch.
//
// Word n of a group's points is at 64 n + slot of the group's part.

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

fn save_state(group: u32, status: u32) {
    state_at = group * dispatch.state_words * 64u + slot;
    if status != STATUS_RESTS {
        save(STATUS_ENDED);
        return;
    }
    if slot == 0u {
        atomicAdd(&results[HEAD_RESTING], 1u);
    }
    save(STATUS_RUNS);
    save(flag(covered, 1u) | flag(started, 2u) | flag(waits, 4u));
    save(masks);
    save(predicates);
    save(written);
    save(foreign);
    save(next);
    save(segment);
    save(executed);
    save(al);
    save(lane_instructions);
    save(fetches);
    save(killed);
    save(counter);
    save(broken);
    save(continued);
    save(depth);
    save(calls);
    save(fault_kinds);
    save(counted_alu);
    save(counted_out);
    save(counted_tex);
    save(counted_fetching);
    save(counted_fc);
    save(counted_divergent);
    // The bounds are not constants, so that the compiler does not unroll the loops.
    for (var n = 0u; n < max(depth, calls); n++) {
        save(frame_word(n));
        save(saved_al(n));
    }
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

fn load_state(group: u32) -> u32 {
    state_at = group * dispatch.state_words * 64u + slot;
    let status = load();
    if status != STATUS_RUNS {
        return status;
    }
    let flags = load();
    covered = (flags & 1u) != 0u;
    started = (flags & 2u) != 0u;
    waits = (flags & 4u) != 0u;
    masks = load();
    predicates = load();
    written = load();
    foreign = load();
    next = load();
    segment = load();
    executed = load();
    al = load();
    lane_instructions = load();
    fetches = load();
    killed = load();
    counter = load();
    broken = load();
    continued = load();
    depth = load();
    calls = load();
    fault_kinds = load();
    counted_alu = load();
    counted_out = load();
    counted_tex = load();
    counted_fetching = load();
    counted_fc = load();
    counted_divergent = load();
    for (var n = 0u; n < max(depth, calls); n++) {
        set_frame_word(n, load());
        set_saved_al(n, load());
    }
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
