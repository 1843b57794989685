// Documents that the browser keeps, with a store that the test stands for: nothing is kept before the transaction is
// complete, and contents are copies.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { own } from "../page/share.js";
import { forgetDocument, keepDocument, keptDocument, keptDocuments } from "../page/storage.js";

afterEach(() => delete globalThis.indexedDB);

const later = (does) => setTimeout(does);

/** A browser's storage. `full`: requests succeed, and their transactions are aborted. */
function storage({ full = false, closed = false } = {}) {
    const databases = new Map();
    const use = { opened: 0, full };
    const database = (stores) => ({
        createObjectStore: (name) => stores.set(name, new Map()),
        close: () => (use.opened -= 1),
        transaction(name, mode) {
            const transaction = { error: null };
            const kept = stores.get(name);
            const change = new Map(kept);
            const request = (result) => ({ result });
            const writing = mode === "readwrite";
            transaction.objectStore = () => ({
                get: (key) => request(structuredClone(kept.get(key))),
                getAllKeys: () => request([...kept.keys()]),
                delete(key) {
                    assert.ok(writing);
                    change.delete(key);
                    return request(undefined);
                },
                put(value, key) {
                    assert.ok(writing);
                    change.set(key, structuredClone(value));
                    return request(key);
                },
            });
            later(() => {
                if (writing && use.full) {
                    transaction.error = new Error("QuotaExceededError");
                    return transaction.onabort();
                }
                if (writing) {
                    kept.clear();
                    for (const [key, value] of change) kept.set(key, value);
                }
                transaction.oncomplete();
            });
            return transaction;
        },
    });
    globalThis.indexedDB = {
        open(name) {
            const opening = {};
            later(() => {
                if (closed) return Object.assign(opening, { error: new Error("SecurityError") }).onerror();
                use.opened += 1;
                const isNew = !databases.has(name);
                if (isNew) databases.set(name, new Map());
                opening.result = database(databases.get(name));
                if (isNew) opening.onupgradeneeded();
                opening.onsuccess();
            });
            return opening;
        },
    };
    return use;
}

const document = () => ({
    main: "job.toml",
    path: "a.frag",
    example: "",
    files: own({ "job.toml": "points = 1\n", "a.frag": "", ["__proto__"]: "a name" }),
    arrays: own({ "a.npy": Uint8Array.of(1, 2, 255) }),
});

const GONE = { message: "it is kept in another browser, or no longer" };

test("a document comes back under its key", async () => {
    const use = storage();
    const doc = document();
    assert.equal(await keepDocument("k1", doc), true);
    doc.files["a.frag"] = "changed afterwards";
    assert.deepEqual(await keptDocument("k1"), { ...document(), key: "k1" });
    assert.equal(Object.getPrototypeOf((await keptDocument("k1")).files), null);
    assert.equal(use.opened, 0);
});

test("a newer text replaces the older one", async () => {
    storage();
    await keepDocument("k1", document());
    await keepDocument("k1", { ...document(), files: own({ "job.toml": "points = 2\n" }) });
    assert.equal((await keptDocument("k1")).files["job.toml"], "points = 2\n");
});

test("another key has no document", async () => {
    storage();
    await keepDocument("k1", document());
    await assert.rejects(keptDocument("k2"), GONE);
});

test("a full disk keeps nothing, and says so", async () => {
    const use = storage({ full: true });
    assert.equal(await keepDocument("k1", document()), false);
    await assert.rejects(keptDocument("k1"), GONE);
    assert.equal(use.opened, 0);
});

test("a page without storage keeps nothing, and says so", async () => {
    storage({ closed: true });
    assert.equal(await keepDocument("k1", document()), false);
    await assert.rejects(keptDocument("k1"), GONE);
    delete globalThis.indexedDB;
    assert.equal(await keepDocument("k1", document()), false);
    await assert.rejects(keptDocument("k1"), GONE);
});

test("all documents are listed with their sizes, the newest first, until they are deleted", async () => {
    storage();
    assert.deepEqual(await keptDocuments(), []);
    await keepDocument("k1", document());
    // Times are in milliseconds.
    await new Promise((done) => setTimeout(done, 5));
    await keepDocument("k2", { ...document(), main: "other.toml" });
    const listed = await keptDocuments();
    assert.deepEqual(listed.map(({ key, main }) => [key, main]), [["k2", "other.toml"], ["k1", "job.toml"]]);
    assert.equal(listed[1].bytes, "points = 1\n".length + "a name".length + 3);
    await forgetDocument("k2");
    assert.deepEqual((await keptDocuments()).map(({ key }) => key), ["k1"]);
    await assert.rejects(keptDocument("k2"), GONE);
});

test("without storage the list is empty", async () => {
    storage({ closed: true });
    assert.deepEqual(await keptDocuments(), []);
    await forgetDocument("k1");
});
