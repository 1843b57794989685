// Which values follow the clock, and which the pointer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "../page/app.js";
import { followers, Player, withBytes } from "../page/play.js";
import { byId, page } from "./page.mjs";

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

test("a click is the stepper's, a drag is the shader's", () => {
    page({});
    const canvas = byId("canvas");
    Object.assign(canvas, { setPointerCapture() {} });
    const player = new Player();
    let frames = 0;
    const pointer = (type, clientX, clientY) => player.point({ type, clientX, clientY, pointerId: 1 });
    const shader = (name) => {
        Object.assign(player, followers([uniform(name, 4)]), { mouse: [0, 0, 0, 0], advance: () => (frames += 1) });
        Object.assign(app, { picture: { shown: {}, at: ({ clientX, clientY }) => [clientX, clientY] } });
    };
    shader("iMouse");
    for (const on of [false, true]) {
        player.on = on;
        for (const type of ["pointermove", "pointerdown", "pointermove", "pointerup"]) pointer(type, 5, 5);
        assert.deepEqual([player.mouse, Boolean(player.dragged), frames], [[0, 0, 0, 0], false, 0]);
    }
    player.on = false;
    pointer("pointerdown", 5, 5);
    pointer("pointermove", 9, 8);
    assert.deepEqual([player.mouse, frames], [[9.5, 8.5, 5.5, 5.5], 1]);
    pointer("pointerup", 9, 8);
    // The click that comes now is none.
    assert.deepEqual([player.mouse, player.dragged], [[9.5, 8.5, -5.5, -5.5], true]);
    // A pointer without a button moves others, but not under the stepper.
    player.dragged = false;
    shader("u_mouse");
    pointer("pointermove", 2, 3);
    assert.deepEqual(player.mouse, [2.5, 3.5, 0, 0]);
    app.stepper.state = {};
    pointer("pointermove", 7, 7);
    assert.deepEqual(player.mouse, [2.5, 3.5, 0, 0]);
});
