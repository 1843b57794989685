// Registers: rows in workgroup memory, a word of each point side by side.

var<workgroup> registers: array<array<u32, 64>, ROWS>;

fn reg(row: u32) -> u32 {
    return registers[row][lane];
}

fn set_reg(row: u32, value: u32) {
    registers[row][lane] = value;
}

fn find_registers(group: u32) {
}
