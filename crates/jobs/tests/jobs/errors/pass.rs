//! Errors in a pass.

/// A job of two buffers; cases follow from line 14 on, in the pass.
pub const PASS: &str = "version = 1
[[buffer]]
name = \"a\"
format = \"FLOAT32_4\"
file = \"a.npy\"
[[buffer]]
name = \"b\"
format = \"FLOAT32_1\"
width = 3
height = 2
[[pass]]
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 2, j1 = 1 }
";

/// Text and error.
pub const IN_PASS: &[(&str, &str)] = &[
    ("", "no error"),
    ("ranges = { c0 = [0, 1], i0 = [0, 1] }", "no error"),
    (
        "ranges.c0 = [1]",
        "job.toml:14: pass[0].ranges.c0: found 1 value, needed 2: the least and the greatest value",
    ),
    (
        "input = { 0 = \"a\" }",
        "job.toml:14: pass[0].input: unknown key; the keys here are program, domain, constants, uniforms, ranges, inputs, outputs, condition, mask, initial, repeat, swap, each",
    ),
    (
        "inputs = { 0 = \"c\" }",
        "job.toml:14: pass[0].inputs.0: there is no buffer \"c\"; the buffers are \"a\", \"b\"",
    ),
    (
        "inputs = { 16 = \"a\" }",
        "job.toml:14: pass[0].inputs.16: there is no input `16`: expected 0 to 15, i0 to i15",
    ),
    ("inputs = [\"a\"]", "job.toml:14: pass[0].inputs: found an array, needed a table"),
    ("inputs = { 0 = 0 }", "job.toml:14: pass[0].inputs.0: found an integer, needed a string"),
    (
        "outputs = { 4 = \"a\" }",
        "job.toml:14: pass[0].outputs.4: there is no output `4`: expected 0 to 3, o0 to o3",
    ),
    (
        "swap = [\"a\"]",
        "job.toml:14: pass[0].swap: found 1 value, needed 2: the names that change places",
    ),
    (
        "swap = [\"a\", \"c\"]",
        "job.toml:14: pass[0].swap[1]: there is no buffer \"c\"; the buffers are \"a\", \"b\"",
    ),
    ("repeat = 0", "job.toml:14: pass[0].repeat: 0 is out of range: 1 to 4294967295 are allowed"),
    (
        "repeat = 4294967296",
        "job.toml:14: pass[0].repeat: 4294967296 is out of range: 1 to 4294967295 are allowed",
    ),
    (
        "mask = \"x\"",
        "job.toml:14: pass[0].mask: \"x\" is not a mask: expected some of the letters r, g, b, a, each at most once",
    ),
    (
        "initial = { 128 = \"a.npy\" }",
        "job.toml:14: pass[0].initial.128: there is no temporary `128`: expected 0 to 127, r0 to r127",
    ),
    (
        "initial = { 1 = \"one.npy\" }",
        "job.toml:14: pass[0].initial.1: one.npy: found float32 (2, 3), needed float32 (height, width, 4) for FLOAT32_4",
    ),
    (
        "condition = { buffer = \"a\", test = \"LESS\", location = \"PE\" }",
        "job.toml:14: pass[0].condition.buffer: a conditional buffer is FLOAT32_1 or UINT16_1, not FLOAT32_4",
    ),
    (
        "condition = { buffer = \"c\", test = \"LESS\", location = \"PE\" }",
        "job.toml:14: pass[0].condition.buffer: there is no buffer \"c\"; the buffers are \"a\", \"b\"",
    ),
    (
        "condition = { test = \"LESS\", location = \"PE\" }",
        "job.toml:14: pass[0].condition.buffer: missing; it is required for a test that reads it",
    ),
    (
        "condition = { test = \"ALWAYS\" }",
        "job.toml:14: pass[0].condition.location: missing; it is required",
    ),
    (
        "condition = { buffer = \"b\", test = \"LESS\", location = \"PE\", format = \"FLOAT32_1\" }",
        "job.toml:14: pass[0].condition.format: unknown key; the keys here are buffer, test, location, value, write",
    ),
    (
        "[[pass]]\nprogram = { file = \"p.hex\" }",
        "job.toml:14: pass[1].domain: missing; it is required",
    ),
    ("[[pass]]\ndomain = {}", "job.toml:14: pass[1].program: missing; it is required"),
    (
        "[[buffer]]\nname = \"a\"\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"",
        "job.toml:15: buffer[2].name: buffer \"a\" is given twice, first in line 3",
    ),
    (
        "[[buffer]]\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"",
        "job.toml:14: buffer[2].name: missing; it is required",
    ),
    (
        "[[buffer]]\nname = \"c\"\nformat = \"FLOAT32_4\"",
        "job.toml:14: buffer[2].width: missing; it is required where no file gives it",
    ),
    (
        "[[buffer]]\nname = \"c\"\nslot = 0",
        "job.toml:16: buffer[2].slot: unknown key; the keys here are name, file, fill, format, tiling, width, height, pitch, address, wrap, filter, save, image, animation, fps, scale, range",
    ),
    (
        "[[expect]]\noutput = 0\nfile = \"a.npy\"",
        "job.toml:15: expect[0].output: the job has no output 0",
    ),
    (
        "[[expect]]\nbuffer = \"c\"\nfile = \"a.npy\"",
        "job.toml:15: expect[0].buffer: there is no buffer \"c\"; the buffers are \"a\", \"b\"",
    ),
    (
        "[constants]",
        "job.toml:14: constants: it cannot stand together with [[buffer]] and [[pass]]",
    ),
];
