// Registers: rows of 64 points in workgroup memory; of a uniform there is one for all of them.

var<workgroup> registers: array<u32, 64u * ROWS>;
// Rows of points.
var<private> own_rows: u32;

fn place_of(row: u32) -> u32 {
    return select(row * 64u + slot, own_rows * 63u + row, row >= own_rows);
}

fn reg(row: u32) -> u32 {
    return registers[place_of(row)];
}

fn set_reg(row: u32, value: u32) {
    registers[place_of(row)] = value;
}

fn find_registers(group: u32) {
    own_rows = launches[launch].uniform_row;
}
