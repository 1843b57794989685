// Which values follow the clock, and which the pointer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { followers, withBytes } from "../page/play.js";

const uniform = (name, rows = 1, more = {}) => ({ name, pass: 0, of: "uniform", kind: "float", columns: 1, rows, numbers: Array(rows).fill(0), by_source: false, ...more });
const constant = (name) => uniform(name, 4, { of: "constant" });

const NOW = { time: 1.5, delta: 0.25, frames: 7, rate: 60, mouse: [1, 2, 3, -4] };

/** The numbers of the only value that follows the clock. */
function clock(value) {
    const { clocks, pointers } = followers([value]);
    assert.deepEqual([clocks.length, pointers.length], [1, 0], value.name);
    return clocks[0].numbers(NOW);
}

test("names of time, of frames and of their rate follow the clock", () => {
    for (const name of ["time", "iTime", "u_time", "uTime", "iGlobalTime", "global_time", "settings.time"]) assert.deepEqual(clock(uniform(name)), [1.5], name);
    for (const name of ["iTimeDelta", "u_delta_time", "deltaTime"]) assert.deepEqual(clock(uniform(name)), [0.25], name);
    for (const name of ["iFrame", "frame", "u_frame_count", "frameNumber"]) assert.deepEqual(clock(uniform(name, 1, { kind: "int" })), [7], name);
    assert.deepEqual(clock(uniform("iFrameRate")), [60]);
});

test("a date is the year, the month from 0, the day and its seconds", () => {
    const before = new Date();
    const [year, month, day, seconds] = clock(uniform("iDate", 4));
    const after = new Date();
    assert.ok(new Date(year, month, day, 0, 0, 0, Math.round(seconds * 1000)) >= before);
    assert.ok(new Date(year, month, day, 0, 0, 0, Math.round(seconds * 1000)) <= after);
});

test("other names and types stay as the job says", () => {
    const names = ["times", "mytime", "time.x", "frame_rates", "timeout", "runtime", "mice", ""];
    const others = [uniform("time", 3), uniform("iFrame", 2), uniform("iDate", 3), uniform("iMouse", 1), uniform("time", 1, { columns: 2 })];
    assert.deepEqual(followers([...names.map((name) => uniform(name)), ...others]), { clocks: [], pointers: [] });
});

test("the pointer gives as many numbers as the value has", () => {
    const of = (value) => followers([value]).pointers[0].numbers(NOW);
    assert.deepEqual(of(uniform("u_mouse", 2)), [1, 2]);
    assert.deepEqual(of(uniform("iMouse", 4)), [1, 2, 3, -4]);
    assert.deepEqual(of(constant("mouse_pos")), [1, 2, 3, -4]);
});

test("that of Shadertoy follows while a button is down", () => {
    const { pointers } = followers([uniform("iMouse", 4), uniform("mouse", 2)]);
    assert.deepEqual(pointers.map(({ name, held }) => [name, held]), [["iMouse", true], ["mouse", false]]);
});

test("a constant follows, though it has four numbers", () => {
    assert.deepEqual(clock(constant("time")), [1.5]);
});

test("a name in several passes is one value", () => {
    const { clocks, pointers } = followers([uniform("iTime"), uniform("iMouse", 4), uniform("iTime", 1, { pass: 1 }), uniform("iMouse", 4, { pass: 1 })]);
    assert.deepEqual([clocks.length, pointers.length], [1, 1]);
});

test("a run gets the bytes of its pictures", () => {
    const answer = { pictures: [{ name: "a", pixels: 1 }, { name: "b", pixels: 2 }], blob: (range) => Uint8Array.of(range) };
    const ran = withBytes(answer, 5);
    assert.equal(ran.version, 5);
    assert.deepEqual(ran.pictures.map(({ name, bytes }) => [name, ...bytes]), [["a", 1], ["b", 2]]);
});
