// Numbers as texts, counts of instructions, and what a hover says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds, thousands } from "../page/clocks.js";
import { explain, explainInstruction, readReference } from "../page/hover.js";
import { base } from "../page/problems.js";
import { number } from "../page/numbers.js";

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

const instruction = (line, text, file = "a.frag") => ({ file, lines: [line].flat(), text });

test("a hover lists the instructions of a line", () => {
    const program = { names: [{ name: "uv", what: "r0.rg" }], code: [instruction(1, "mov"), instruction(2, "add"), instruction([3, 1], "mul"), instruction(1, "dp3", "b.frag")] };
    assert.equal(explain("uv", 1, "a.frag", [program]), "uv: r0.rg\n  0  mov\n  2  mul");
    assert.equal(explain("other", 3, "a.frag", [program]), "  2  mul");
    assert.equal(explain("other", 4, "a.frag", [program]), "");
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

/** A state at slot 2 of a program with a register, and perhaps variables. */
const stepper = (variables = []) => {
    const lanes = new Uint32Array(256 * 4);
    lanes.set([0x3f800000, 0x80000000, 0x7f800000, 0], 256 + 8);
    const state = { registers: ["r0", "r1"], held: ["", "uv"], ranges: ["", ""], variables, lanes, slot: 2, signs: "#".repeat(64), end: null };
    return { state, before: null };
};

test("a hover has the value of a register at the point that is looked at", () => {
    for (const word of ["r1", "uv"]) assert.equal(explain(word, 1, "a.dpp", [], stepper()), "r1 uv = 1, -0, inf, 0");
    assert.equal(explain("r2", 1, "a.dpp", [], stepper()), "");
});

test("a hover has the value of a variable, and its place", () => {
    const uv = { name: "uv", expression: "uv", components: [[".x", true], [".y", false]], places: "r1.r, line 3", block: 1 };
    assert.equal(explain("uv", 9, "a.frag", [], stepper([uv])), "uv = 1, -   r1.r, line 3\nr1 uv = 1, -0, inf, 0");
    const gone = { ...uv, components: [[".x", false], [".y", false]], places: "optimised away" };
    assert.ok(explain("uv", 9, "a.frag", [], stepper([gone])).startsWith("uv = optimised away"));
});

test("a hover over an instruction has its operations and its registers", () => {
    readReference("| `mad` | A * B + C (CTM Guide, page 28) |\n");
    assert.equal(explainInstruction("mad r1.rgb, r1, c0, 1 | mad r1.a, 1, 1, 0 @wait"), "mad: A * B + C (CTM Guide, page 28)");
    assert.equal(explainInstruction("mad r1.rgb, r1, c0, 1", stepper()), "mad: A * B + C (CTM Guide, page 28)\nr1 uv = 1, -0, inf, 0");
});
