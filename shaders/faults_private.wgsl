// Fault records: an array of each point.

var<private> point_faults: array<array<vec4<u32>, POINT_FAULTS>, POINTS>;

fn fault_word(p: u32, kind: u32, n: u32) -> u32 {
    return point_faults[p][kind][n];
}

fn set_fault_word(p: u32, kind: u32, n: u32, word: u32) {
    point_faults[p][kind][n] = word;
}
