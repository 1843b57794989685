// Stacks and fault records: arrays of each point.

var<private> frames: array<u32, STACK_DEPTH>;
var<private> saved_als: array<u32, STACK_DEPTH>;
var<private> point_faults: array<vec4<u32>, POINT_FAULTS>;

fn frame_word(n: u32) -> u32 {
    return frames[n];
}

fn set_frame_word(n: u32, word: u32) {
    frames[n] = word;
}

fn saved_al(n: u32) -> u32 {
    return saved_als[n];
}

fn set_saved_al(n: u32, value: u32) {
    saved_als[n] = value;
}

fn fault_word(kind: u32, n: u32) -> u32 {
    return point_faults[kind][n];
}

fn set_fault_word(kind: u32, n: u32, word: u32) {
    point_faults[kind][n] = word;
}
