// Registers: rows in an array of the point.

var<private> registers: array<u32, ROWS>;

fn reg(row: u32) -> u32 {
    return registers[row];
}

fn set_reg(row: u32, value: u32) {
    registers[row] = value;
}

fn find_registers(group: u32) {
}
