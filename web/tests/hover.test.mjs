// Numbers as texts, counts of instructions, and what a hover says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds, thousands } from "../page/clocks.js";
import { explain, readReference } from "../page/hover.js";
import { base } from "../page/problems.js";
import { number } from "../page/step.js";

test("a float is as short as it can be", () => {
    const texts = [[0, "0"], [-0, "-0"], [1, "1"], [0.1 + 0.2, "0.3"], [-2.5, "-2.5"], [123456.7, "123457"], [1e7, "1.000e+7"], [5e-5, "5.000e-5"], [1e-4, "0.0001"]];
    for (const [value, text] of [...texts, [Infinity, "inf"], [-Infinity, "-inf"], [NaN, "NaN"]]) assert.equal(number(value), text);
});

test("counts are shown for kinds that there are", () => {
    assert.equal(thousands(1234567), "1,234,567");
    assert.deepEqual(kinds({ alu: 1200, out: 0, tex: 3, fc: 0 }), ["1,200 ALU", "3 TEX"]);
    assert.deepEqual(kinds({}), []);
});

test("the base of a path is its last part", () => {
    assert.deepEqual(["a/b/c.frag", "c.frag"].map(base), ["c.frag", "c.frag"]);
});

const instruction = (line, text, file = "a.frag") => ({ file, line, text });

test("a hover lists the instructions of a line", () => {
    const program = { names: [{ name: "uv", what: "r0.rg" }], code: [instruction(1, "mov"), instruction(2, "add"), instruction(1, "mul"), instruction(1, "dp3", "b.frag")] };
    assert.equal(explain("uv", 1, "a.frag", [program]), "uv: r0.rg\n  0  mov\n  2  mul");
    assert.equal(explain("other", 3, "a.frag", [program]), "");
});

test("a long line has as many as fit", () => {
    const lines = (count) => explain("x", 1, "a.frag", [{ names: [], code: Array.from({ length: count }, () => instruction(1, "mov")) }]).split("\n");
    assert.equal(lines(12).length, 12);
    assert.deepEqual(lines(15).slice(11), [" 11  mov", "and 3 more"]);
});

test("a hover over assembly is from the reference, in any case", () => {
    readReference("# Title\n| `mad d, a, b, c` | a * b + c | a * b + c |\n| `.out` | names an `output` |\n| no row |\n");
    assert.equal(explain("MAD", 1, "a.dpp", []), "mad: a * b + c");
    assert.equal(explain(".out", 1, "a.asm", []), ".out: names an output");
    assert.equal(explain("mad", 1, "a.frag", []), "");
    assert.equal(explain("unknown", 1, "a.dpp", []), "");
});

test("a hover has the value of a register at the point that is looked at", () => {
    const state = { registers: ["r0", "r1 uv"], slot: 2 };
    const stepper = { state, words: (of, n, slot) => (of === state && n === 1 && slot === 2 ? Uint32Array.of(0x3f800000, 0x80000000, 0x7f800000, 0) : new Uint32Array(4)) };
    for (const word of ["r1", "uv"]) assert.equal(explain(word, 1, "a.frag", [], stepper), "r1 uv = 1, -0, inf, 0");
    assert.equal(explain("r2", 1, "a.frag", [], stepper), "");
});
