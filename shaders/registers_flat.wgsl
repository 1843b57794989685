// Registers: each point keeps its rows, followed by a copy of the uniforms, as numbers. For drivers
// that run on a CPU: they read and write each channel by itself.

var<private> registers: array<array<u32, POINTS>, ROWS>;

fn reg(p: u32, row: u32) -> u32 {
    return registers[row][p];
}

fn set_reg(p: u32, row: u32, value: u32) {
    registers[row][p] = value;
}

fn set_reg_if(p: u32, row: u32, on: bool, value: u32) {
    // Such drivers have a short path for a row that is the same for all points.
    registers[row][p] = select(registers[row][p], value, on);
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
}
