// Registers: each point keeps its rows, followed by a copy of the uniforms, in vectors.

var<private> registers: array<array<vec4<u32>, POINTS>, ROWS / 4u>;

fn reg(p: u32, row: u32) -> u32 {
    return registers[row >> 2u][p][row & 3u];
}

fn set_reg(p: u32, row: u32, value: u32) {
    registers[row >> 2u][p][row & 3u] = value;
}

fn reg4(p: u32, number: u32, channels: u32) -> vec4<u32> {
    return swizzled(registers[number][p], channels);
}

fn set_reg4(p: u32, number: u32, lanes: u32, value: vec4<u32>) {
    let writes = (vec4<u32>(lanes) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u);
    registers[number][p] = select(registers[number][p], value, writes);
}

fn find_registers(group: u32) {
}
