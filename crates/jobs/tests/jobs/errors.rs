//! Every error of a job file, word for word: file, line, key, what is wrong.

mod docs;
mod pass;

use crate::job_common::PROGRAM;
use ctm_jobs::array::{Array, Dtype, npy};
use ctm_jobs::job::Job;
use pass::{IN_PASS, PASS};
use std::fs;
use std::path::Path;

/// A directory with the files that the jobs below name.
fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
    write("p.hex", PROGRAM.as_bytes());
    write("bad.hex", b"0007zzzz\n");
    write("short.hex", b"00078005 08020100\n");
    write("text.npy", b"hello");
    let array = |name: &str, dtype, shape: &[usize]| {
        let array = Array { dtype, shape: shape.to_vec(), units: vec![0; shape.iter().product()] };
        npy::save(&array, &dir.path().join(name)).unwrap();
    };
    array("a.npy", Dtype::Float32, &[2, 3, 4]);
    array("byte.npy", Dtype::Uint8, &[2, 3, 4]);
    array("one.npy", Dtype::Float32, &[2, 3]);
    array("wide.npy", Dtype::Uint8, &[1, 4097, 4]);
    array("many.npy", Dtype::Float32, &[257, 4]);
    dir
}

/// The error of parsing a job, without the directory.
fn message(dir: &Path, text: &str) -> String {
    match Job::parse(text, &dir.join("job.toml")) {
        Ok(_) => "no error".to_string(),
        Err(error) => error.to_string().replace(&format!("{}/", dir.display()), ""),
    }
}

/// A job without the parts of the case: the program in line 2, the domain in lines 4 and 5.
const START: &str = "version = 1
program = { file = \"p.hex\" }
# a comment
domain = { i0 = 0, j0 = 0,
  i1 = 2, j1 = 1 }
";

/// Cases: what follows [`START`] from line 6 on, and the message.
const AFTER_START: &[(&str, &str)] = &[
    ("", "no error"),
    // Ranges.
    ("ranges = { c0 = [0, 1], c1 = [[-1, 0], [0.5, inf]] }", "no error"),
    ("ranges = 1", "job.toml:6: ranges: found an integer, needed a table"),
    ("ranges.c0 = 1", "job.toml:6: ranges.c0: found an integer, needed an array"),
    (
        "ranges.c0 = [1, 0]",
        "job.toml:6: ranges.c0: [1, 0] is not a range: two numbers, the least one first",
    ),
    (
        "ranges.c0 = [\"0x7fc00000\", 0]",
        "job.toml:6: ranges.c0: [\"0x7fc00000\", 0] is not a range: two numbers, the least one first",
    ),
    (
        "ranges.c0 = [1]",
        "job.toml:6: ranges.c0: found 1 value, needed 2: the least and the greatest value",
    ),
    (
        "ranges.c0 = [[0, 1], [1, 0]]",
        "job.toml:6: ranges.c0[1]: [1, 0] is not a range: two numbers, the least one first",
    ),
    (
        "ranges.c0 = [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1]]",
        "job.toml:6: ranges.c0: found 5 values, needed at most 4, the numbers of `c0`",
    ),
    (
        "ranges.c0 = [\"a\", 1]",
        "job.toml:6: ranges.c0[0]: \"a\" is not a bit pattern: \"0x\" and one to eight hexadecimal digits",
    ),
    (
        "ranges.o0 = [0, 1]",
        "job.toml:6: ranges.o0: there is no register `o0`: expected i0 to i15, c0 to c255, r0 to r127",
    ),
    (
        "ranges.c300 = [0, 1]",
        "job.toml:6: ranges.c300: there is no register `c300`: expected i0 to i15, c0 to c255, r0 to r127",
    ),
    ("ranges.c200 = [0, 1]", "no error"),
    // Keys.
    (
        "colour = 1",
        "job.toml:6: colour: unknown key; the keys here are version, about, program, domain, float, limits, constants, uniforms, ranges, input, output, condition, initial, sharing, expect, buffer, pass",
    ),
    (
        "[[input]]\nslto = 1",
        "job.toml:7: input[0].slto: unknown key; the keys here are slot, name, file, fill, width, height, format, tiling, pitch, address, wrap, filter",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nwrap = \"clamp\"",
        "job.toml:9: output[0].wrap: unknown key; the keys here are slot, name, format, tiling, width, height, pitch, address, mask, initial, save, image, animation, fps, scale, range",
    ),
    (
        "[limits]\nsteps = 3",
        "job.toml:7: limits.steps: unknown key; the keys here are instructions",
    ),
    (
        "[[expect]]\nexact = true",
        "job.toml:7: expect[0].exact: unknown key; the keys here are output, condition, buffer, shared, fault, file, mask, rtol, atol, ulps, max_bad, bits",
    ),
    // TOML itself.
    ("about = ", "job.toml:6: about: string values must be quoted, expected literal string"),
    ("about = \"a\"\nabout = \"b\"", "job.toml:7: about: duplicate key"),
    ("about = \"open", "job.toml:6: about: invalid basic string, expected `\"`"),
    // Types.
    ("about = 3", "job.toml:6: about: found an integer, needed a string"),
    ("float = \"exact\"", "job.toml:6: float: found a string, needed a table"),
    (
        "[float]\nmode = \"double\"",
        "job.toml:7: float.mode: \"double\" is unknown; needed exact, fast, chip",
    ),
    (
        "[limits]\ninstructions = 0",
        "job.toml:7: limits.instructions: 0 is out of range: 1 to 9223372036854775807 are allowed",
    ),
    (
        "[limits]\ninstructions = 1e6",
        "job.toml:7: limits.instructions: found a float, needed an integer",
    ),
    (
        "[limits]\ninstructions = 99999999999999999999",
        "job.toml:7: limits.instructions: 99999999999999999999 is out of range: 1 to 9223372036854775807 are allowed",
    ),
    ("input = 3", "job.toml:6: input: found an integer, needed an array"),
    ("input = [3]", "job.toml:6: input[0]: found an integer, needed a table"),
    // Inputs.
    (
        "[[input]]\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"",
        "job.toml:6: input[0]: no register: one of slot, name is required",
    ),
    (
        "[[input]]\nslot = 16\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"",
        "job.toml:7: input[0].slot: 16 is out of range: 0 to 15 are allowed",
    ),
    (
        "[[input]]\nslot = -1\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"",
        "job.toml:7: input[0].slot: -1 is out of range: 0 to 15 are allowed",
    ),
    (
        "[[input]]\nslot = 0\nfile = \"a.npy\"",
        "job.toml:6: input[0].format: missing; it is required",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"RGBA8\"\nfile = \"a.npy\"",
        "job.toml:8: input[0].format: \"RGBA8\" is unknown; needed UINT16_1, UINT8_4, FLOAT32_1, FLOAT32_2, FLOAT32_4, UINT8_1, UINT8_2, UINT16_2, UINT16_4",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"",
        "job.toml:6: input[0].file: missing; it is required unless `fill`, `width` and `height` are given",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"none.npy\"",
        "job.toml:9: input[0].file: cannot read none.npy: No such file or directory (os error 2)",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \".\"",
        "job.toml:9: input[0].file: cannot read .: not a regular file",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"text.npy\"",
        "job.toml:9: input[0].file: text.npy: neither a .npy nor a PNG file",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"byte.npy\"",
        "job.toml:9: input[0].file: byte.npy: found uint8 (2, 3, 4), needed float32 (height, width, 4) for FLOAT32_4",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"UINT16_1\"\nfile = \"a.npy\"",
        "job.toml:9: input[0].file: a.npy: found float32 (2, 3, 4), needed uint16 (height, width) or (height, width, 1) for UINT16_1",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"UINT8_4\"\nfile = \"wide.npy\"",
        "job.toml:9: input[0].file: wide.npy: found uint8 (1, 4097, 4), needed uint8 (height, width, 4) for UINT8_4 with height 1 to 4096 and width 1 to 4096",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\nwidth = 4",
        "job.toml:9: input[0].file: a.npy: found float32 (2, 3, 4), needed float32 (height, width, 4) for FLOAT32_4 with height 1 to 4096 and width 4",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\nfill = [0, 0, 0, 0]",
        "job.toml:10: input[0].fill: it cannot stand together with file",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfill = [0, 0, 0, 0]\nheight = 1",
        "job.toml:6: input[0].width: missing; it is required where no file gives it",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfill = [0, 0, 0]\nwidth = 1\nheight = 1",
        "job.toml:9: input[0].fill: found 3 values, needed 4 for FLOAT32_4",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfill = 0\nwidth = 1\nheight = 1",
        "job.toml:9: input[0].fill: found 1 value, needed 4 for FLOAT32_4",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"UINT8_4\"\nfill = [0, 256, 0, 0]\nwidth = 1\nheight = 1",
        "job.toml:9: input[0].fill[1]: 256 is out of range: 0 to 255 are allowed",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"UINT8_4\"\nfill = [0, 0.5, 0, 0]\nwidth = 1\nheight = 1",
        "job.toml:9: input[0].fill[1]: found a float, needed an integer",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\ntiling = \"LINEAR_INP_2X2\"",
        "job.toml:10: input[0].tiling: input tiling LINEAR_INP_2X2 needs FLOAT32_1 or UINT16_1, found FLOAT32_4",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\ntiling = \"SWIZZLED\"",
        "job.toml:10: input[0].tiling: \"SWIZZLED\" is unknown; needed LINEAR, TILED, LINEAR_INP_2X2, TILED_INP_2X2",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_1\"\nfill = 1\nwidth = 1\nheight = 4097",
        "job.toml:11: input[0].height: 4097 is out of range: 1 to 4096 are allowed",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_1\"\nwidth = 8000",
        "job.toml:9: output[0].width: 8000 is out of range: 1 to 4096 are allowed",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_1\"\nwidth = 4096\nheight = 4096\npitch = 8191",
        "no error",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\npitch = 8192",
        "job.toml:10: input[0].pitch: 8192 is out of range: 1 to 8191 are allowed",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\npitch = 0",
        "job.toml:10: input[0].pitch: 0 is out of range: 1 to 8191 are allowed",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\naddress = 0x100400",
        "job.toml:10: input[0].address: 0x100400 is not a multiple of 2048",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\naddress = 0x10000000",
        "job.toml:10: input[0].address: 0x10000000 and 128 bytes from there do not fit the GPU arena of 268435456 bytes",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\naddress = -2048",
        "job.toml:10: input[0].address: -2048 is out of range: 0 to 4294967295 are allowed",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\nwrap = \"mirror\"",
        "job.toml:10: input[0].wrap: \"mirror\" is unknown; needed clamp, repeat",
    ),
    (
        "[[input]]\nslot = 3\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\n[[input]]\nslot = 3\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"",
        "job.toml:11: input[1].slot: input 3 is given twice, first in line 7",
    ),
    // Outputs.
    (
        "[[output]]\nformat = \"FLOAT32_4\"",
        "job.toml:6: output[0]: no register: one of slot, name is required",
    ),
    (
        "[[output]]\nslot = 4\nformat = \"FLOAT32_4\"",
        "job.toml:7: output[0].slot: 4 is out of range: 0 to 3 are allowed",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\ntiling = \"TILED_INP_2X2\"",
        "job.toml:9: output[0].tiling: \"TILED_INP_2X2\" is unknown; needed LINEAR, TILED",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nmask = \"rgx\"",
        "job.toml:9: output[0].mask: \"rgx\" is not a mask: expected some of the letters r, g, b, a, each at most once",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nmask = \"rr\"",
        "job.toml:9: output[0].mask: \"rr\" is not a mask: expected some of the letters r, g, b, a, each at most once",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nwidth = 4\ninitial = \"a.npy\"",
        "job.toml:10: output[0].initial: a.npy: found float32 (2, 3, 4), needed float32 (height, width, 4) for FLOAT32_4 with height 2 and width 4",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n[[output]]\nslot = 0\nformat = \"FLOAT32_4\"",
        "job.toml:10: output[1].slot: output 0 is given twice, first in line 7",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nmask = \"rg\"\n[[output]]\nslot = 1\nformat = \"FLOAT32_4\"",
        "job.toml:10: output[1].mask: \"rgba\" differs from \"rg\" in line 9: one mask holds for all outputs",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nmask = \"rg\"\n[[output]]\nslot = 1\nformat = \"FLOAT32_4\"\nmask = \"rgb\"",
        "job.toml:13: output[1].mask: \"rgb\" differs from \"rg\" in line 9: one mask holds for all outputs",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nsave = \"o.npy\"\n[[output]]\nslot = 1\nformat = \"FLOAT32_4\"\nsave = \"o.npy\"",
        "job.toml:13: output[1].save: the file o.npy is given twice, first in line 9",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nsave = \"o.npy\"\nimage = \"./o.npy\"",
        "job.toml:10: output[0].image: the file ./o.npy is given twice, first in line 9",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nimage = \"p.hex\"",
        "job.toml:9: output[0].image: p.hex is its program, which would be replaced",
    ),
    (
        "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"a.npy\"\n[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nimage = \"./a.npy\"",
        "job.toml:13: output[0].image: ./a.npy is a file that the job reads, which would be replaced",
    ),
    // Constants.
    (
        "about = \"\"\n[constants]\nfloat.1.r = 1",
        "job.toml:8: constants.float.1: found a table, needed a number or a bit pattern such as \"0x7fc00001\"",
    ),
    (
        "[constants]\nfloat = { 256 = [0, 0, 0, 0] }",
        "job.toml:7: constants.float.256: there is no float constant `256`: expected 0 to 255, c0 to c255",
    ),
    (
        "[constants]\nfloat = { 01 = [0, 0, 0, 0] }",
        "job.toml:7: constants.float.01: there is no float constant `01`: expected 0 to 255, c0 to c255",
    ),
    (
        "[constants]\nfloat = { x = [0, 0, 0, 0] }",
        "job.toml:7: constants.float.x: there is no float constant `x`: expected 0 to 255, c0 to c255",
    ),
    (
        "[constants]\nfloat = { 0 = [0, 0, 0, 0, 0] }",
        "job.toml:7: constants.float.0: found 5 values, needed 1 to 4: r, g, b, a",
    ),
    (
        "[constants]\nfloat = { 0 = [0, 0, 0, true] }",
        "job.toml:7: constants.float.0[3]: found a boolean, needed a number or a bit pattern such as \"0x7fc00001\"",
    ),
    (
        "[constants]\nfloat = { 0 = [0, 0, 0, 1e39] }",
        "job.toml:7: constants.float.0[3]: 1e39 is not in the range of binary32",
    ),
    (
        "[constants]\nfloat = { 0 = [0, 0, 0, \"7fc00000\"] }",
        "job.toml:7: constants.float.0[3]: \"7fc00000\" is not a bit pattern: \"0x\" and one to eight hexadecimal digits",
    ),
    (
        "[constants]\nfloat = { 0 = [0, 0, 0, \"0x1234567890\"] }",
        "job.toml:7: constants.float.0[3]: \"0x1234567890\" is not a bit pattern: \"0x\" and one to eight hexadecimal digits",
    ),
    (
        "[constants]\nfloat = { 0 = [0, 0, 0, 0] }\nfloat_file = \"a.npy\"",
        "job.toml:8: constants.float_file: it cannot stand together with float",
    ),
    (
        "[constants]\nfloat_file = \"a.npy\"",
        "job.toml:7: constants.float_file: a.npy: found float32 (2, 3, 4), needed float32 (n, 4) with n from 0 to 256",
    ),
    (
        "[constants]\nfloat_file = \"many.npy\"",
        "job.toml:7: constants.float_file: many.npy: found float32 (257, 4), needed float32 (n, 4) with n from 0 to 256",
    ),
    (
        "[constants]\nint = { 32 = [0, 0, 0] }",
        "job.toml:7: constants.int.32: there is no integer constant `32`: expected 0 to 31, n0 to n31",
    ),
    (
        "[constants]\nint = { 0 = [256, 0, 0] }",
        "job.toml:7: constants.int.0[0]: 256 is out of range: 0 to 255 are allowed",
    ),
    (
        "[constants]\nint = { 0 = [0, 0, 128] }",
        "job.toml:7: constants.int.0[2]: 128 is out of range: -128 to 127 are allowed",
    ),
    (
        "[constants]\nint = { 0 = [] }",
        "job.toml:7: constants.int.0: found 0 values, needed 1 to 3: count, aL start, aL step",
    ),
    (
        "[constants]\nbool = [0, 32]",
        "job.toml:7: constants.bool[1]: 32 is out of range: 0 to 31 are allowed",
    ),
    (
        "[constants]\nbool = { 0 = 1 }",
        "job.toml:7: constants.bool.0: found an integer, needed a boolean",
    ),
    // The condition.
    (
        "[condition]\nlocation = \"PE\"\nformat = \"FLOAT32_1\"",
        "job.toml:6: condition.test: missing; it is required",
    ),
    (
        "[condition]\ntest = \"LESS\"\nformat = \"FLOAT32_1\"",
        "job.toml:6: condition.location: missing; it is required",
    ),
    (
        "[condition]\ntest = \"LESS\"\nlocation = \"PE\"",
        "job.toml:6: condition.format: missing; it is required",
    ),
    (
        "[condition]\ntest = \"<\"\nlocation = \"PE\"\nformat = \"FLOAT32_1\"",
        "job.toml:7: condition.test: \"<\" is unknown; needed NEVER, LESS, LESS_EQUAL, EQUAL, GREATER_EQUAL, GREATER, NOT_EQUAL, ALWAYS",
    ),
    (
        "[condition]\ntest = \"LESS\"\nlocation = \"CO\"\nformat = \"FLOAT32_1\"",
        "job.toml:8: condition.location: \"CO\" is unknown; needed DPP, PE",
    ),
    (
        "[condition]\ntest = \"LESS\"\nlocation = \"PE\"\nformat = \"FLOAT32_4\"",
        "job.toml:9: condition.format: a conditional buffer is FLOAT32_1 or UINT16_1, not FLOAT32_4",
    ),
    (
        "[condition]\ntest = \"LESS\"\nlocation = \"PE\"\nformat = \"UINT16_1\"\nvalue = 0.5",
        "job.toml:10: condition.value: found a float, needed an integer",
    ),
    (
        "[condition]\ntest = \"LESS\"\nlocation = \"PE\"\nformat = \"UINT16_1\"\nvalue = 65536",
        "job.toml:10: condition.value: 65536 is out of range: 0 to 65535 are allowed",
    ),
    (
        "[condition]\ntest = \"LESS\"\nlocation = \"PE\"\nformat = \"FLOAT32_1\"\nwrite = 1",
        "job.toml:10: condition.write: found an integer, needed a boolean",
    ),
    // Temporaries.
    (
        "[[initial]]\ntemp = 128\nfile = \"a.npy\"",
        "job.toml:7: initial[0].temp: 128 is out of range: 0 to 127 are allowed",
    ),
    (
        "[[initial]]\ntemp = 1",
        "job.toml:6: initial[0]: no data: one of file, fill, plane is required",
    ),
    (
        "[[initial]]\ntemp = 1\nfill = [0, 0, 0, 0]\nfile = \"a.npy\"",
        "job.toml:8: initial[0].fill: it cannot stand together with file",
    ),
    (
        "[[initial]]\ntemp = 1\nfill = [0, 0, 0, 0, 0]",
        "job.toml:8: initial[0].fill: found 5 values, needed 1 to 4: r, g, b, a",
    ),
    (
        "[[initial]]\ntemp = 1\nplane = [[0, 0, 0, 0], [0, 0, 0, 0]]",
        "job.toml:8: initial[0].plane: found 2 values, needed 3: values at point (0, 0), steps of a column, steps of a row",
    ),
    (
        "[[initial]]\ntemp = 1\nplane = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, true]]",
        "job.toml:8: initial[0].plane[2][3]: found a boolean, needed a number or a bit pattern such as \"0x7fc00001\"",
    ),
    (
        "[[initial]]\ntemp = 1\nfile = \"one.npy\"",
        "job.toml:8: initial[0].file: one.npy: found float32 (2, 3), needed float32 (height, width, 4) for FLOAT32_4",
    ),
    (
        "[[initial]]\ntemp = 1\nfile = \"many.npy\"",
        "job.toml:8: initial[0].file: many.npy: found float32 (257, 4), needed float32 (height, width, 4) for FLOAT32_4",
    ),
    (
        "[[initial]]\ntemp = 1\nfile = \"a.npy\"\n[[initial]]\ntemp = 1\nfile = \"a.npy\"",
        "job.toml:10: initial[1].temp: temporary 1 is given twice, first in line 7",
    ),
    // Expectations.
    (
        "[[expect]]\nfile = \"a.npy\"",
        "job.toml:6: expect[0]: nothing to look at: one of output, condition, buffer, shared, fault is required",
    ),
    (
        "[[expect]]\noutput = 0\nfile = \"a.npy\"",
        "job.toml:7: expect[0].output: the job has no output 0",
    ),
    (
        "[[expect]]\ncondition = true\nfile = \"a.npy\"",
        "job.toml:7: expect[0].condition: the job has no [condition]",
    ),
    (
        "[[expect]]\ncondition = false\nfile = \"a.npy\"",
        "job.toml:7: expect[0].condition: false is not possible here: leave the key out, or write true",
    ),
    (
        "[[expect]]\nbuffer = \"a\"\nfile = \"a.npy\"",
        "job.toml:7: expect[0].buffer: there is no buffer \"a\": the job has no [[buffer]]",
    ),
    (
        "[[expect]]\noutput = 0\ncondition = true\nfile = \"a.npy\"",
        "job.toml:8: expect[0].condition: it cannot stand together with output",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n[[expect]]\noutput = 0",
        "job.toml:9: expect[0].file: missing; it is required",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n[[expect]]\noutput = 0\nfile = \"a.npy\"\nrtol = -1e-5",
        "job.toml:12: expect[0].rtol: -1e-5 is not a number from 0 on",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n[[expect]]\noutput = 0\nfile = \"a.npy\"\natol = nan",
        "job.toml:12: expect[0].atol: nan is not a number from 0 on",
    ),
    (
        "[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n[[expect]]\noutput = 0\nfile = \"a.npy\"\nmax_bad = 2",
        "job.toml:12: expect[0].max_bad: 2 is not a fraction from 0 to 1",
    ),
    (
        "[[expect]]\nfault = \"bugdet\"",
        "job.toml:7: expect[0].fault: \"bugdet\" is unknown; needed budget, address_stack_overflow, address_stack_underflow, loop_stack_overflow, loop_stack_underflow, branch_counter_overflow, missing_instruction, input_outside_memory, constant_outside_memory, output_outside_memory, output_outside_surface, condition_outside_memory, condition_outside_surface, uncached_outside_surface, uncached_outside_memory, uncached_alpha, shared, counter_outside_memory",
    ),
    (
        "[[expect]]\nfault = \"budget\"\nfile = \"a.npy\"",
        "job.toml:8: expect[0].file: it cannot stand together with fault",
    ),
    // The two forms do not mix.
    (
        "[[buffer]]\nname = \"a\"",
        "job.toml:2: program: it cannot stand together with [[buffer]] and [[pass]]",
    ),
    ("pass = []", "job.toml:2: program: it cannot stand together with [[buffer]] and [[pass]]"),
];

/// Cases: the whole file, and the message; "..." at its end stands for what the loader of programs
/// says, which has its own tests.
const WHOLE: &[(&str, &str)] = &[
    ("", "job.toml:1: version: missing; it is required"),
    ("version = 2", "job.toml:1: version: 2 is not 1, the only version there is"),
    ("version = \"1\"", "job.toml:1: version: found a string, needed an integer"),
    ("version = 1", "job.toml:1: program: missing; it is required"),
    ("version = 1\nprogram = { file = \"p.hex\" }", "job.toml:1: domain: missing; it is required"),
    (
        "version = 1\nprogram = \"p.hex\"\ndomain = {}",
        "job.toml:2: program: found a string, needed a table",
    ),
    ("version = 1\nprogram = {}\ndomain = {}", "job.toml:2: program.file: missing; it is required"),
    (
        "version = 1\nprogram = { file = \"p.hex\" }\ndomain = { i0 = 0, j0 = 0, i1 = 1 }",
        "job.toml:3: domain.j1: missing; it is required",
    ),
    (
        "version = 1\nprogram = { file = \"p.hex\" }\ndomain = { i0 = 0, j0 = 0, i1 = 1, j1 = 4096 }",
        "job.toml:3: domain.j1: 4096 is out of range: 0 to 4095 are allowed",
    ),
    // Programs.
    (
        "version = 1\ndomain = {}\nprogram = { file = \"none.hex\" }",
        "job.toml:3: program.file: cannot read none.hex: No such file or directory (os error 2)",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"bad.hex\", kind = \"hex\" }",
        "job.toml:3: program.file: bad.hex: ...",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"short.hex\" }",
        "job.toml:3: program.file: short.hex: ...",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"p.hex\", kind = \"spirv\" }",
        "job.toml:3: program.kind: \"spirv\" is unknown; needed asm, elf, hex, bin, mesa, ps, glsl, wgsl",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"p.hex\", kind = \"elf\" }",
        "job.toml:3: program.file: p.hex: not a valid executable: ...",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"p.hex\", index = 1 }",
        "job.toml:3: program.file: p.hex: index 1 ...",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"p.hex\", index = -1 }",
        "job.toml:3: program.index: -1 is out of range: 0 to 4294967295 are allowed",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"p.hex\", umrt = 1 }",
        "job.toml:3: program.umrt: found an integer, needed a boolean",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"p.hex\", registers = { US_CONFIGS = 2 } }",
        "job.toml:3: program.registers.US_CONFIGS: unknown key; the keys here are US_CONFIG, US_PIXSIZE, US_FC_CTRL, US_CODE_ADDR, US_CODE_RANGE, US_CODE_OFFSET, US_W_FMT, SQ_GPR_RESOURCE",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"p.hex\", registers = { US_CONFIG = 0x100000000 } }",
        "job.toml:3: program.registers.US_CONFIG: 0x100000000 is out of range: 0 to 4294967295 are allowed",
    ),
    (
        "version = 1\ndomain = {}\nprogram = { file = \"p.hex\", registers = { US_CODE_ADDR = 0x10000 } }",
        "job.toml:3: program.file: p.hex: US_CODE_ADDR is 0x00010000: ...",
    ),
    // Passes.
    ("version = 1\nbuffer = []", "job.toml:1: pass: missing; it is required"),
    ("version = 1\npass = []", "job.toml:2: pass: missing; it is required: at least one [[pass]]"),
];

#[test]
fn toml_that_is_nested_too_deep_is_an_error_with_its_line() {
    let dir = directory();
    let dots = vec!["a"; 100_000].join(".");
    for (text, want) in [
        (
            format!("about = {}", "[".repeat(100_000)),
            "job.toml:6: about: cannot recurse further; max recursion depth met",
        ),
        (
            format!("about = \"\"\nlimits = {}", "{a=".repeat(100_000)),
            "job.toml:7: limits: cannot recurse further; max recursion depth met",
        ),
        (format!("about = \"\"\n{dots} = 1"), "job.toml:7: a: unknown key; the keys here are "),
        (format!("about = \"\"\n\n[{dots}]"), "job.toml:8: a: unknown key; the keys here are "),
        (
            format!("[limits]\ninstructions = {{ {dots} = 1 }}"),
            "job.toml:7: limits.instructions: found a table, needed an integer",
        ),
    ] {
        let found = message(dir.path(), &format!("{START}{text}"));
        assert!(found.starts_with(want), "{found}");
    }
}

#[test]
fn of_a_long_value_its_beginning_is_shown() {
    let dir = directory();
    let of = |value: &str| {
        let text = format!("{START}[constants]\nfloat = {{ 0 = [{value}, 0, 0, 0] }}");
        message(dir.path(), &text)
    };
    let needed = "is not a bit pattern: \"0x\" and one to eight hexadecimal digits";
    assert_eq!(
        of(&format!("\"{}\"", "x".repeat(1 << 20))),
        format!("job.toml:7: constants.float.0[0]: \"{}... {needed}", "x".repeat(99))
    );
    assert_eq!(
        of("\"\"\"one\ntwo\"\"\""),
        format!("job.toml:7: constants.float.0[0]: \"\"\"one {needed}")
    );
}

#[test]
fn every_error_names_file_line_and_key() {
    let dir = directory();
    let mut wrong = Vec::new();
    for (start, cases) in [(START, AFTER_START), ("", WHOLE), (PASS, IN_PASS)] {
        for (text, want) in cases {
            let got = message(dir.path(), &format!("{start}{text}"));
            let same = match want.strip_suffix("...") {
                Some(start) => got.starts_with(start),
                None => got == *want,
            };
            if !same {
                wrong.push(format!("{text:?}\n   want {want:?}\n    got {got:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
