// Fault records: in workgroup memory, one column per point. For drivers that take long to compile
// arrays of a point.

var<workgroup> point_faults: array<u32, 256u * POINT_FAULTS>;

fn fault_word(p: u32, kind: u32, n: u32) -> u32 {
    return point_faults[(4u * kind + n) * 64u + slot_of(p)];
}

fn set_fault_word(p: u32, kind: u32, n: u32, word: u32) {
    point_faults[(4u * kind + n) * 64u + slot_of(p)] = word;
}
