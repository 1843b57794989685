// Stacks and fault records: in workgroup memory, one column per point. For drivers that take long to
// compile arrays of a point.

var<workgroup> columns_of_words: array<u32, 64u * STACK_WORDS>;

fn column(n: u32) -> u32 {
    return n * 64u + slot;
}

fn frame_word(n: u32) -> u32 {
    return columns_of_words[column(n)];
}

fn set_frame_word(n: u32, word: u32) {
    columns_of_words[column(n)] = word;
}

fn saved_al(n: u32) -> u32 {
    return columns_of_words[column(STACK_DEPTH + n)];
}

fn set_saved_al(n: u32, value: u32) {
    columns_of_words[column(STACK_DEPTH + n)] = value;
}

fn fault_word(kind: u32, n: u32) -> u32 {
    return columns_of_words[column(2u * STACK_DEPTH + 4u * kind + n)];
}

fn set_fault_word(kind: u32, n: u32, word: u32) {
    columns_of_words[column(2u * STACK_DEPTH + 4u * kind + n)] = word;
}
