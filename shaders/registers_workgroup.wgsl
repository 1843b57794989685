// Registers: rows of 64 points in workgroup memory; the uniforms behind them are shared.

var<workgroup> registers: array<u32, ROWS>;
// Rows of points; behind them stands one word for each uniform.
var<private> shared_from: u32;
var<private> shared_shift: u32;

fn place(row: u32) -> u32 {
    return select(row * 64u + slot, shared_shift + row, row >= shared_from);
}

fn reg(row: u32) -> u32 {
    return registers[place(row)];
}

fn set_reg(row: u32, value: u32) {
    registers[place(row)] = value;
}
