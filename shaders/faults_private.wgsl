// Fault records: an array of each point.

var<private> point_faults: array<vec4<u32>, POINT_FAULTS>;

fn fault_word(kind: u32, n: u32) -> u32 {
    return point_faults[kind][n];
}

fn set_fault_word(kind: u32, n: u32, word: u32) {
    point_faults[kind][n] = word;
}
