// The document and the address of the page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "../page/app.js";
import { adopt, changed, choose, open, remember, restore } from "../page/document.js";
import { own, pack, unpack } from "../page/share.js";
import { byId, page } from "./page.mjs";

const EXAMPLES = [
    { name: "ball", main: "ball.toml", path: "ball.frag", files: { "ball.toml": "ball", "ball.frag": "" }, data: {} },
    { name: "a b/ü", main: "b.toml", path: "b.toml", files: { "b.toml": "other" }, data: {} },
];

/** A page with the examples. The jobs have errors, so that no run is shown. */
function start(hash = "") {
    const made = page({ open: () => ({ problems: [] }) });
    app.examples = EXAMPLES;
    globalThis.location.hash = hash;
    return made;
}

const said = () => byId("status").textContent;

test("the page begins with the first example", async () => {
    const { addresses } = start();
    await restore();
    assert.deepEqual([app.doc.main, app.doc.path, app.doc.example], ["ball.toml", "ball.frag", "ball"]);
    assert.deepEqual(addresses, ["#e=ball"]);
});

test("an address names an example, as it is or escaped", async () => {
    for (const hash of ["#e=a b/ü", `#e=${encodeURIComponent("a b/ü")}`]) {
        start(hash);
        await restore();
        assert.equal(app.doc.example, "a b/ü", hash);
    }
});

test("an address brings a document", async () => {
    const doc = { main: "m.toml", path: "m.toml", example: "ball", files: own({ "m.toml": "mine" }), arrays: own({}) };
    start(`#s=${await pack(doc)}`);
    await restore();
    assert.deepEqual(app.doc, doc);
    // An example that this page does not have is none.
    start(`#s=${await pack({ ...doc, example: "gone" })}`);
    await restore();
    assert.equal(app.doc.example, "");
});

test("an address that holds nothing says why, and the page begins as ever", async () => {
    const reasons = { "#s=cut": "it was cut off or changed", "#k=none": "it is kept in another browser, or no longer", "#e=none": "it names no example" };
    for (const [hash, reason] of Object.entries(reasons)) {
        start(hash);
        await restore();
        assert.equal(app.doc.example, "ball", hash);
        assert.equal(said(), `the address holds no document: ${reason}`);
    }
});

test("a changed document is in the address", async () => {
    const { addresses } = start();
    await open({ main: "m.toml", path: "m.toml", example: "", files: own({ "m.toml": "mine" }) });
    changed("changed");
    clearTimeout(app.timer);
    assert.equal(await remember(), true);
    assert.equal((await unpack(addresses.at(-1).slice("#s=".length))).files["m.toml"], "changed");
});

test("an address is of the newest text", async () => {
    const { addresses } = start();
    const first = remember();
    adopt("a.toml", "newer");
    await Promise.all([first, remember()]);
    assert.equal(addresses.length, 1);
    assert.equal((await unpack(addresses[0].slice("#s=".length))).files["a.toml"], "newer");
});

test("a document that is too large, where nothing can be kept, has no address", async () => {
    const { addresses } = start();
    app.doc.files["a.toml"] = "x".repeat(1 << 21);
    assert.equal(await remember(), false);
    assert.deepEqual(addresses, ["#"]);
});

test("another text of another file leaves the editor as it is", () => {
    const { shown } = start();
    adopt("a.toml", "newer");
    assert.deepEqual(shown.filter(([name]) => name === "edit"), []);
    adopt("a.frag", "newer");
    assert.deepEqual(shown.filter(([name]) => name === "edit"), [["edit", "a.frag", "newer"]]);
    assert.equal(app.version, 3);
});

test("what was written stays in the history when an example is chosen", async () => {
    const { addresses, shown } = start();
    app.exampleList.changed = true;
    await choose("ball");
    assert.match(addresses[0], /^#s=/);
    assert.equal(addresses[1], "#e=ball");
    assert.equal(shown.filter(([name]) => name === "page").length, 1);
    app.exampleList.changed = false;
    await choose("a b/ü");
    assert.equal(addresses.length, 3);
    assert.equal(app.doc.main, "b.toml");
});

test("errors are counted", async () => {
    for (const [count, text] of [[1, "1 error"], [2, "2 errors"]]) {
        const problem = { file: "m.toml", line: 1, severity: "error", message: "no" };
        page({ open: () => ({ problems: [{ ...problem, severity: "note" }, ...Array(count).fill(problem)] }) });
        await open({ main: "m.toml", path: "m.toml", example: "", files: own({ "m.toml": "" }) });
        assert.equal(said(), text);
        assert.equal(document.body.dataset.done, String(app.version));
    }
});

test("a module that refuses says so in the list and in the line", async () => {
    page({
        open() {
            throw new Error("m.toml: it is too large\nmore");
        },
    });
    await open({ main: "m.toml", path: "m.toml", example: "", files: own({ "m.toml": "" }) });
    assert.equal(said(), "m.toml: it is too large");
    // The list names the file apart.
    const [button] = byId("problems").children[0].children;
    assert.deepEqual(button.children.map((part) => part.textContent ?? part), ["m.toml", " ", "error", "it is too large\nmore"]);
});
