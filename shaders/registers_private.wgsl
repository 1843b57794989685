// Registers: each point keeps its rows, and a copy of the uniforms behind them.

var<private> registers: array<u32, ROWS>;

fn reg(row: u32) -> u32 {
    return registers[row];
}

fn set_reg(row: u32, value: u32) {
    registers[row] = value;
}

fn find_registers(group: u32) {
}
