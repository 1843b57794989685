// Launches of passes that repeat.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Launches } from "../page/launches.js";

const launches = new Launches([
    { repeat: 2, domain: [0, 0, 7, 3] },
    { repeat: 1, domain: [2, 1, 4, 1] },
    { repeat: 3, domain: [0, 0, 0, 0] },
]);

test("launches are counted over the repeats of passes", () => {
    assert.deepEqual([0, 1, 2, 3].map((pass) => launches.before(pass)), [0, 2, 3, 6]);
});

test("a launch has the domain of its pass", () => {
    const passes = [0, 1, 2, 3, 4, 5].map((launch) => launches.passes.findIndex(({ domain }) => domain === launches.domain(launch)));
    assert.deepEqual(passes, [0, 0, 1, 2, 2, 2]);
});

test("both corners of a domain are in it", () => {
    assert.ok(launches.runs(2, [2, 1]) && launches.runs(2, [4, 1]));
    for (const point of [[1, 1], [5, 1], [2, 0], [2, 2]]) assert.ok(!launches.runs(2, point), String(point));
});

test("the last launch is that of the pass that is wanted most", () => {
    assert.equal(launches.last(), 5);
    assert.equal(launches.last(({ repeat }) => repeat === 2), 1);
    assert.equal(launches.last(() => false, ({ repeat }) => repeat === 1), 2);
    assert.equal(launches.last(() => false), 5);
});

test("the nearest point is inside", () => {
    assert.deepEqual(launches.nearest(2, [0, 9]), [2, 1]);
    assert.deepEqual(launches.nearest(2, [9, -1]), [4, 1]);
    assert.deepEqual(launches.nearest(0, [5, 2]), [5, 2]);
    assert.deepEqual(launches.nearest(0), [3, 1]);
});
