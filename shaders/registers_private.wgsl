// Registers: each point keeps its rows, followed by a copy of the uniforms, in vectors.

var<private> registers: array<vec4<u32>, ROWS / 4u>;

fn reg(row: u32) -> u32 {
    return registers[row >> 2u][row & 3u];
}

fn set_reg(row: u32, value: u32) {
    registers[row >> 2u][row & 3u] = value;
}

fn reg4(number: u32, channels: u32) -> vec4<u32> {
    return swizzled(registers[number], channels);
}

fn set_reg4(number: u32, lanes: u32, value: vec4<u32>) {
    let writes = (vec4<u32>(lanes) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u);
    registers[number] = select(registers[number], value, writes);
}

fn find_registers(group: u32) {
}
