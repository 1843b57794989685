// The rows of values in the stepper.

import assert from "node:assert/strict";
import { test } from "node:test";
import { choices, labelOf, registerRows, variableRows, watchedText } from "../page/values.js";

const bits = (value) => new Uint32Array(Float32Array.of(value).buffer)[0];

/** A state with `r0`, a variable of five components in blocks 1 and 2, and a watched number in block 3. */
function state(values, changes = {}) {
    const lanes = new Uint32Array(256 * 4);
    values.forEach((block, n) => lanes.set(block.map(bits), 256 * n + 4));
    const components = [0, 1, 2, 3, 4].map((n) => [`[${n}]`, n !== 1]);
    const variables = [{ name: "m", expression: "m", components, places: "r0.r, line 2", block: 1 }];
    const watched = { components: 1, block: 3, missing: null };
    return { slot: 1, signs: ".#".padEnd(64), end: null, registers: ["r0"], held: ["m[0]"], ranges: ["always in [0.0, 1.0]"], variables, watched, lanes, ...changes };
}

test("a variable has rows of four, and what is optimised away no value", () => {
    const rows = variableRows(state([[0], [1, 2, 3, 4], [5]]), null);
    assert.deepEqual(rows.map(({ name, note }) => [name, note]), [["m[0]", "r0.r, line 2"], ["m[4]", ""]]);
    assert.deepEqual(rows.map(({ cells }) => cells.map(({ word }) => word)), [[bits(1), undefined, bits(3), bits(4)], [bits(5)]]);
    assert.equal(rows[1].cells[0].why, "m[4]");
});

test("what a step changed is marked, of variables and of registers", () => {
    const [before, now] = [state([[1, 2], [1, 2, 3, 4], [5]]), state([[1, 3], [1, 2, 7, 4], [5]])];
    assert.deepEqual(variableRows(now, before)[0].cells.map(({ changed }) => changed), [false, undefined, true, false]);
    assert.deepEqual(registerRows(now, before)[0].cells.map(({ changed }) => changed), [false, true, false, false]);
    // Ranges are those of points that run.
    assert.deepEqual([1, 0].map((slot) => registerRows({ ...now, slot }, before)[0].note), ["always in [0.0, 1.0]", ""]);
    // Ranges are those of points that run.
    assert.deepEqual([1, 0].map((slot) => registerRows({ ...now, slot }, before)[0].note), ["always in [0.0, 1.0]", ""]);
    // A variable that has a value for the first time.
    assert.ok(variableRows(now, { ...before, variables: [] })[0].cells[0].changed);
});

test("a point that does not run the instruction has no variables", () => {
    assert.deepEqual(variableRows(state([[0]], { slot: 0 }), null), []);
    assert.equal(labelOf(state([[0]]), 0, 1), "r0 m[0]");
    assert.equal(labelOf(state([[0]]), 0, 0), "r0");
    assert.equal(labelOf(state([[0]], { end: "the group has ended" }), 0, 1), "r0");
    // A name of assembly is that of the register.
    assert.equal(labelOf(state([[0]], { variables: [] }), 0, 0), "r0 m[0]");
});

test("the grid shows what has a value", () => {
    assert.deepEqual(choices(state([[0]])).map(({ key, block }) => [key, block]), [["watched", 3], ["variable m", 1], ["r0", 0]]);
    assert.deepEqual(choices(state([[0]], { watched: null, variables: [] })).map(({ key }) => key), ["r0"]);
});

test("a watched value is text, or why there is none", () => {
    assert.equal(watchedText(state([[0], [0], [0], [0.25]])), "0.25");
    assert.equal(watchedText(state([[0]], { watched: { components: 1, block: 3, missing: "`d`: optimised away at pc 4" } })), "`d`: optimised away at pc 4");
    assert.equal(watchedText(state([[0]], { watched: null })), "");
});
