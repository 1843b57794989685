// What a change of the form does to the document, to its address and to what the worker is asked for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "../page/app.js";
import { changeBy } from "../page/change.js";
import { Stopped } from "../page/engine.js";
import { own, unpack } from "../page/share.js";
import { byId, page } from "./page.mjs";

const value = (name, pass) => ({ name, pass, of: "uniform", kind: "float", columns: 1, rows: 1, numbers: [0], by_source: false });

/** What the module says about the document: a job that does not run, so that nothing is shown of it. */
const opened = (values) => ({ problems: [], form: { values, given: values.map(() => false) } });

/** A page whose worker has a job with values open. `change`: the answer to a change. */
function open(values, change) {
    const made = page({ change, open: () => opened(values) });
    app.opened = { ...opened(values), passes: [] };
    app.ran = { version: 1 };
    app.held = "1 1";
    return made;
}

const answered = (text, more = {}) => ({ main: "a.toml", text, files: [], blob: (bytes) => Uint8Array.of(bytes), ...more });
const kinds = ({ asked }) => asked.map(([kind]) => kind);
const time = (number, pass = 0) => ({ value: { pass, name: "time", numbers: [number] } });

test("a value is in the text and in the address, and nothing is compiled", async () => {
    const made = open([value("speed", 0), value("time", 0)], () => answered("time = 3"));
    await changeBy(time(3));
    assert.deepEqual(kinds(made), ["change"]);
    assert.equal(app.doc.files["a.toml"], "time = 3");
    assert.deepEqual(app.opened.form.values.map(({ numbers }) => numbers), [[0], [3]]);
    assert.deepEqual(app.opened.form.given, [false, true]);
    assert.deepEqual(made.shown.filter(([name]) => name === "value"), [["value", { pass: 0, name: "time", numbers: [3] }]]);
    // The worker counts as having the new text.
    assert.deepEqual([app.version, app.held, app.ran.version], [2, "2 1", 2]);
    assert.equal((await unpack((await made.addressed).slice("#s=".length))).files["a.toml"], "time = 3");
});

test("a value of one of several passes is that of this pass", async () => {
    const made = open([value("time", 0), value("time", 1)], () => answered("time = 3"));
    await changeBy(time(3, 1));
    assert.deepEqual(kinds(made), ["change"]);
    assert.deepEqual(app.opened.form.values.map(({ numbers }) => numbers), [[0], [3]]);
    assert.deepEqual(made.shown.filter(([name]) => name === "value"), [["value", { pass: 1, name: "time", numbers: [3] }]]);
});

test("a size is compiled", async () => {
    const made = open([], () => answered("width = 8"));
    await changeBy({ size: { width: 8, height: 1 } });
    assert.deepEqual(kinds(made), ["change", "open"]);
});

test("a program gets a job with its files, and what the visitor has stays", async () => {
    const made = open([value("time", 0)], () => answered("job", { main: "new.toml", files: [{ path: "a.npy", bytes: 1 }, { path: "b.npy", bytes: 2 }] }));
    app.doc.arrays = own({ "b.npy": Uint8Array.of(9) });
    await changeBy(time(3));
    assert.equal(app.doc.main, "new.toml");
    assert.equal(app.doc.files["new.toml"], "job");
    assert.deepEqual({ ...app.doc.arrays }, { "b.npy": Uint8Array.of(9), "a.npy": Uint8Array.of(1) });
    assert.deepEqual(kinds(made), ["change", "open"]);
});

test("changes are made one after the other, each of the text before", async () => {
    const texts = [];
    const made = open([value("time", 0)], async ({ change, files }, blobs) => {
        texts.push(new TextDecoder().decode(blobs[files.findIndex(({ path }) => path === "a.toml")]));
        // Other changes would begin meanwhile.
        await new Promise(setImmediate);
        return answered(`time = ${change.value.numbers[0]}`);
    });
    await Promise.all([changeBy(time(1)), changeBy(time(2)), changeBy(time(3))]);
    assert.deepEqual(texts, ["one", "time = 1", "time = 2"]);
    assert.equal(app.doc.files["a.toml"], "time = 3");
    assert.equal(kinds(made).length, 3);
});

test("a change that fails is said, and the next one is made", async () => {
    let fails = new Error("there is no such surface\nmore of it");
    open([value("time", 0)], () => {
        if (fails) throw fails;
        return answered("time = 4");
    });
    await changeBy(time(3));
    assert.equal(byId("status").textContent, "there is no such surface");
    assert.deepEqual([app.doc.files["a.toml"], app.version], ["one", 1]);
    byId("status").textContent = "";
    fails = new Stopped("stopped");
    await changeBy(time(3));
    assert.equal(byId("status").textContent, "");
    fails = null;
    await changeBy(time(4));
    assert.equal(app.doc.files["a.toml"], "time = 4");
});

test("nothing is changed in a document with errors", async () => {
    const made = open([], () => assert.fail("it was changed"));
    app.opened = opened([]);
    await changeBy(time(3));
    assert.deepEqual(kinds(made), []);
});
