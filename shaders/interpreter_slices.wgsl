// Slices: a group that has taken many steps rests in `state` and goes on in the next dispatch.
//
// Word n of a group's points lies at 64 n + slot of the group's part.

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
    state_at = group * STATE_WORDS * 64u + slot;
    if status != STATUS_RESTS {
        save(STATUS_ENDED);
        return;
    }
    if slot == 0u {
        atomicAdd(&results[RESULT_RESTING], 1u);
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
    for (var n = 0u; n < 6u; n++) {
        save(counted[n]);
    }
    for (var n = 0u; n < STACK_DEPTH; n++) {
        save(remaining[n]);
        save(saved_al[n]);
        save(return_slots[n]);
    }
    for (var n = 0u; n < POINT_FAULTS; n++) {
        save(point_faults[n].x);
        save(point_faults[n].y);
        save(point_faults[n].z);
        save(point_faults[n].w);
    }
    for (var n = 0u; n < launches[launch].uniform_row; n++) {
        save(reg(n));
    }
}

fn load_state(group: u32) -> u32 {
    state_at = group * STATE_WORDS * 64u + slot;
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
    for (var n = 0u; n < 6u; n++) {
        counted[n] = load();
    }
    for (var n = 0u; n < STACK_DEPTH; n++) {
        remaining[n] = load();
        saved_al[n] = load();
        return_slots[n] = load();
    }
    for (var n = 0u; n < POINT_FAULTS; n++) {
        let x = load();
        let y = load();
        let z = load();
        let w = load();
        point_faults[n] = vec4<u32>(x, y, z, w);
    }
    load_uniforms();
    for (var n = 0u; n < launches[launch].uniform_row; n++) {
        set_reg(n, load());
    }
    return STATUS_RUNS;
}
