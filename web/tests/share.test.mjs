// A document in an address, and what others make of one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { ARRAYS, arraysSize, fromBase64, inflate, own, pack, unpack } from "../page/share.js";

const CUT = { message: "it was cut off or changed" };
const LONG = { message: "it has more than 1 MiB of source" };

const document = (more = {}) => ({
    main: "job.toml",
    path: "a.frag",
    example: "ball",
    files: own({ "job.toml": "points = 1\n", "a.frag": "// π ünder\nvoid main() {}\n" }),
    arrays: own({}),
    ...more,
});

/** The fragment of any value, as one who writes links by hand makes it. */
const fragment = (value) => deflateRawSync(JSON.stringify(value)).toString("base64url");

test("a document comes back from its fragment", async () => {
    const text = await pack(document());
    assert.match(text, /^[\w-]+$/);
    assert.deepEqual(await unpack(text), document());
});

test("arrays come back to the byte", async () => {
    const doc = document({ arrays: own({ "a.npy": Uint8Array.from({ length: 256 }, (_, n) => n) }) });
    assert.deepEqual(await unpack(await pack(doc)), doc);
    assert.equal(arraysSize(doc.arrays), 256);
});

test("any path is a name like any other", async () => {
    const files = own({ toString: "a", ["__proto__"]: "b" });
    const doc = await unpack(await pack(document({ main: "__proto__", path: "toString", files })));
    assert.deepEqual(Object.entries(doc.files), [["toString", "a"], ["__proto__", "b"]]);
    assert.equal(Object.getPrototypeOf(doc.files), null);
    await assert.rejects(unpack(fragment({ m: "toString", f: {} })), CUT);
});

test("a cut or changed link says so", async () => {
    const text = await pack(document());
    for (const cut of ["", text.slice(0, 1), text.slice(0, -5), text.slice(0, text.length >> 1), text.slice(3), "%%%", "é"]) {
        await assert.rejects(unpack(cut), CUT, cut);
    }
});

test("bytes that are no text are refused", async () => {
    const bytes = Buffer.from('{"m":"a","f":{"a":"?"}}');
    assert.equal((await unpack(deflateRawSync(bytes).toString("base64url"))).files.a, "?");
    bytes[bytes.indexOf("?")] = 0xff;
    await assert.rejects(unpack(deflateRawSync(bytes).toString("base64url")), CUT);
});

test("what is no document is refused", async () => {
    const good = { m: "a", f: { a: "x" } };
    assert.equal((await unpack(fragment(good))).path, "a");
    const bad = [null, 1, "text", [], {}, { m: "a" }, { ...good, f: [] }, { ...good, f: { a: 1 } }, { ...good, m: "b" }, { ...good, m: 1 }];
    bad.push({ ...good, e: 1 }, { ...good, p: null }, { ...good, d: null }, { ...good, d: [] }, { ...good, d: { b: 1 } }, { ...good, d: { b: "%" } });
    for (const value of bad) await assert.rejects(unpack(fragment(value)), CUT, JSON.stringify(value));
});

test("a file to show that is missing is the main one", async () => {
    assert.equal((await unpack(fragment({ m: "a", f: { a: "x" }, p: "b" }))).path, "a");
});

test("a document that is too large has no fragment", async () => {
    const source = (size) => document({ files: own({ "job.toml": "x".repeat(size), "a.frag": "" }) });
    assert.notEqual(await pack(source(1 << 20)), null);
    assert.equal(await pack(source((1 << 20) + 1)), null);
    const arrays = (size) => document({ arrays: own({ "a.npy": new Uint8Array(size) }) });
    assert.notEqual(await pack(arrays(ARRAYS)), null);
    assert.equal(await pack(arrays(ARRAYS + 1)), null);
});

test("a fragment holds as many files as it may have, and no more", async () => {
    const files = (count) => own(Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`, ""])));
    const full = { ...document({ main: "0", path: "0", files: files(255) }), arrays: own({ "a.npy": new Uint8Array(1) }) };
    assert.deepEqual(await unpack(await pack(full)), full);
    // What cannot be opened is no link.
    assert.equal(await pack({ ...full, files: files(256) }), null);
    await assert.rejects(unpack(fragment({ m: "0", f: files(257) })), { message: "it has more than 256 files" });
});

test("a fragment that grows is stopped", async () => {
    await assert.rejects(unpack(fragment({ m: "a", f: { a: "x".repeat(1 << 22) } })), LONG);
    await assert.rejects(unpack(fragment({ m: "a", f: { a: "x".repeat((1 << 20) + 1) } })), LONG);
    await assert.rejects(unpack("A".repeat((2 << 20) + 1)), LONG);
});

test("streams give all bytes up to the limit", async () => {
    const bytes = Uint8Array.from({ length: 10000 }, (_, n) => (n * n) & 255);
    const packed = new Uint8Array(deflateRawSync(bytes));
    assert.deepEqual(await inflate(packed), bytes);
    assert.deepEqual(await inflate(packed, "deflate-raw", bytes.length), bytes);
    await assert.rejects(inflate(packed, "deflate-raw", bytes.length - 1), LONG);
});

test("base64 is bytes", () => {
    assert.deepEqual(fromBase64("AP+A"), Uint8Array.of(0, 255, 128));
    assert.throws(() => fromBase64("A%"));
});
