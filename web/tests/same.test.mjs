// A changed program beside its start.

import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "../page/app.js";
import { compare } from "../page/same.js";
import { own } from "../page/share.js";
import { byId, page } from "./page.mjs";

/** Compares a document with its start and lets time pass. Returns what was asked. */
async function compared(t, start, proved = true) {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { asked } = page({ same: () => ({ proved }) });
    app.start = own(start);
    compare();
    assert.equal(byId("same").hidden, true);
    assert.equal(asked.length, 0);
    t.mock.timers.tick(1000);
    await new Promise(setImmediate);
    return asked;
}

test("a changed program that is proved the same is said to be so", async (t) => {
    const [[kind, { main, files }, blobs]] = await compared(t, { "a.toml": "one", "a.frag": "before" });
    assert.deepEqual([kind, main, files.map(({ path }) => path)], ["same", "a.toml", ["a.toml", "a.frag"]]);
    assert.equal(new TextDecoder().decode(blobs[1]), "before");
    assert.equal(byId("same").hidden, false);
});

test("nothing is said of a program without a proof", async (t) => {
    await compared(t, { "a.toml": "one", "a.frag": "before" }, false);
    assert.equal(byId("same").hidden, true);
});

for (const [what, start] of Object.entries({
    "nothing is changed": { "a.toml": "one", "a.frag": "two" },
    "the job is changed": { "a.toml": "zero", "a.frag": "before" },
    "there was another job": { "a.frag": "before" },
})) {
    test(`no proof is looked for where ${what}`, async (t) => assert.deepEqual(await compared(t, start), []));
}

test("an answer about an older text is not shown", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    page({ same: () => ({ proved: true }) });
    app.start = own({ "a.toml": "one", "a.frag": "before" });
    compare();
    t.mock.timers.tick(1000);
    app.version += 1;
    await new Promise(setImmediate);
    assert.equal(byId("same").hidden, true);
});
