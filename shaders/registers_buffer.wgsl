// Registers: rows in the buffer `state`, for programs that need more rows than fit elsewhere.

var<private> rows_at: u32;

fn reg(row: u32) -> u32 {
    return state[rows_at + row * 64u];
}

fn set_reg(row: u32, value: u32) {
    state[rows_at + row * 64u] = value;
}

fn find_registers(group: u32) {
    rows_at = (group * dispatch.state_words + SAVED_WORDS) * 64u + lane;
}
