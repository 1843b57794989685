// Registers: rows in the buffer `state`, for programs that need more rows than fit elsewhere.

var<private> rows_at: u32;

fn reg(p: u32, row: u32) -> u32 {
    return state[rows_at + p * INVOCATIONS + row * 64u];
}

fn set_reg(p: u32, row: u32, value: u32) {
    state[rows_at + p * INVOCATIONS + row * 64u] = value;
}

fn set_reg_if(p: u32, row: u32, on: bool, value: u32) {
    if on {
        set_reg(p, row, value);
    }
}

fn reg4(p: u32, number: u32, channels: u32) -> vec4<u32> {
    let row = number << 2u;
    return vec4<u32>(
        reg(p, row + (channels & 3u)),
        reg(p, row + ((channels >> 2u) & 3u)),
        reg(p, row + ((channels >> 4u) & 3u)),
        reg(p, row + ((channels >> 6u) & 3u)),
    );
}

fn set_reg4(p: u32, number: u32, lanes: u32, value: vec4<u32>) {
    let row = number << 2u;
    set_reg_if(p, row, (lanes & 1u) != 0u, value.x);
    set_reg_if(p, row + 1u, (lanes & 2u) != 0u, value.y);
    set_reg_if(p, row + 2u, (lanes & 4u) != 0u, value.z);
    set_reg_if(p, row + 3u, (lanes & 8u) != 0u, value.w);
}

fn find_registers(group: u32) {
    rows_at = (group * dispatch.state_words + SAVED_WORDS) * 64u + lane;
}
