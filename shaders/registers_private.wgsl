// Registers: each point keeps its rows, followed by a copy of the uniforms.

var<private> registers: array<u32, ROWS>;

fn reg(row: u32) -> u32 {
    return registers[row];
}

fn set_reg(row: u32, value: u32) {
    registers[row] = value;
}

fn find_registers(group: u32) {
}
