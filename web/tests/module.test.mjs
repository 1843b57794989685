// The document that the module has open.

import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "../page/app.js";
import { ask, dataOf, hold, packed } from "../page/module.js";
import { own } from "../page/share.js";
import { byId, page } from "./page.mjs";

const PASS = { program: "a.frag", repeat: 3, domain: [0, 0, 1, 1], inputs: [], outputs: [0] };

test("arrays are the document's own, else the example's", () => {
    page({}, { example: "ball", arrays: own({ "a.npy": Uint8Array.of(7) }) });
    app.examples = [{ name: "ball", data: { "a.npy": "AA==", "b.npy": "/w==" } }];
    assert.deepEqual(dataOf(app.doc), [["b.npy", Uint8Array.of(255)], ["a.npy", Uint8Array.of(7)]]);
    assert.deepEqual(dataOf({ example: "none", arrays: own({}) }), []);
});

test("a request gets arrays and texts", () => {
    page({}, { arrays: own({ "a.npy": Uint8Array.of(7) }) });
    const { list, blobs } = packed();
    assert.deepEqual(list.map(({ path }) => path), ["a.npy", "a.toml", "a.frag"]);
    assert.deepEqual(Buffer.concat(blobs), Buffer.from("\x07onetwo"));
});

test("a document is opened once, until it changes or the worker is another one", async () => {
    const { asked } = page({ open: () => ({ passes: [PASS] }) });
    assert.equal(await hold(), true);
    assert.equal(app.opened.launches.last(), 2);
    assert.equal(await hold(), true);
    assert.equal(asked.length, 1);
    app.version += 1;
    await hold();
    app.engine.generation += 1;
    await hold();
    assert.deepEqual(asked.map(([kind, { main }]) => [kind, main]), Array(3).fill(["open", "a.toml"]));
});

test("a document with errors does not run, and is not opened again", async () => {
    const { asked } = page({ open: () => ({ problems: [] }) });
    assert.equal(await hold(), false);
    assert.equal(await hold(), false);
    assert.equal(asked.length, 1);
});

test("a request that failed is made again", async () => {
    const { asked } = page({
        open() {
            throw new Error("no");
        },
    });
    await assert.rejects(hold(), { message: "no" });
    await assert.rejects(hold(), { message: "no" });
    assert.equal(asked.length, 2);
});

test("the button to stop is shown while a request takes long", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let done;
    page({ run: () => new Promise((answer) => (done = answer)), open: () => ({}) });
    byId("stop").hidden = true;
    const slow = ask({ run: {} });
    t.mock.timers.tick(200);
    assert.equal(byId("stop").hidden, true);
    t.mock.timers.tick(100);
    assert.equal(byId("stop").hidden, false);
    assert.equal(byId("status").textContent, "running");
    done({});
    await slow;
    assert.equal(byId("stop").hidden, true);
    // A quick one does not show it later.
    await ask({ open: {} });
    t.mock.timers.tick(1000);
    assert.equal(byId("stop").hidden, true);
});
