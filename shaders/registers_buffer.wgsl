// Registers: rows in the buffer `state`, for programs that need more rows than fit elsewhere.

var<private> rows_at: u32;

fn reg(row: u32) -> u32 {
    return state[rows_at + row * 64u];
}

fn set_reg(row: u32, value: u32) {
    state[rows_at + row * 64u] = value;
}

fn reg4(number: u32, channels: u32) -> vec4<u32> {
    let row = number << 2u;
    return vec4<u32>(
        reg(row + (channels & 3u)),
        reg(row + ((channels >> 2u) & 3u)),
        reg(row + ((channels >> 4u) & 3u)),
        reg(row + ((channels >> 6u) & 3u)),
    );
}

fn set_reg4(number: u32, lanes: u32, value: vec4<u32>) {
    let row = number << 2u;
    if (lanes & 1u) != 0u {
        set_reg(row, value.x);
    }
    if (lanes & 2u) != 0u {
        set_reg(row + 1u, value.y);
    }
    if (lanes & 4u) != 0u {
        set_reg(row + 2u, value.z);
    }
    if (lanes & 8u) != 0u {
        set_reg(row + 3u, value.w);
    }
}

fn find_registers(group: u32) {
    rows_at = (group * dispatch.state_words + SAVED_WORDS) * 64u + slot;
}
