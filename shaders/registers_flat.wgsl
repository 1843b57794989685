// Registers: each point keeps its rows, followed by a copy of the uniforms, as numbers. For drivers
// that run on a CPU: they read and write each channel by itself.

var<private> registers: array<u32, ROWS>;

fn reg(row: u32) -> u32 {
    return registers[row];
}

fn set_reg(row: u32, value: u32) {
    registers[row] = value;
}

fn reg4(number: u32, channels: u32) -> vec4<u32> {
    let row = number << 2u;
    return vec4<u32>(
        registers[row + (channels & 3u)],
        registers[row + ((channels >> 2u) & 3u)],
        registers[row + ((channels >> 4u) & 3u)],
        registers[row + ((channels >> 6u) & 3u)],
    );
}

fn set_reg4(number: u32, lanes: u32, value: vec4<u32>) {
    let row = number << 2u;
    if (lanes & 1u) != 0u {
        registers[row] = value.x;
    }
    if (lanes & 2u) != 0u {
        registers[row + 1u] = value.y;
    }
    if (lanes & 4u) != 0u {
        registers[row + 2u] = value.z;
    }
    if (lanes & 8u) != 0u {
        registers[row + 3u] = value.w;
    }
}

fn find_registers(group: u32) {
}
