// Documents that are too large for a link. They stay in this browser.

import { own } from "./share.js";

const STORE = "documents";

/** The store of documents. @returns {Promise<IDBDatabase>} */
function database() {
    return new Promise((done, failed) => {
        const opening = indexedDB.open("ctm", 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
        opening.onsuccess = () => done(opening.result);
        opening.onerror = () => failed(opening.error);
    });
}

/**
 * The result of a request to the store, once its transaction is complete: a full disk may abort it after the request.
 * @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} request @returns {Promise<any>}
 */
async function ask(mode, request) {
    const opened = await database();
    try {
        return await new Promise((done, failed) => {
            const transaction = opened.transaction(STORE, mode);
            const asked = request(transaction.objectStore(STORE));
            transaction.oncomplete = () => done(asked.result);
            transaction.onabort = () => failed(transaction.error);
        });
    } finally {
        opened.close();
    }
}

/**
 * Keeps a document under a key. Returns whether the browser has kept it.
 * @param {string} key @param {import("./app.js").Doc} doc @returns {Promise<boolean>}
 */
export async function keepDocument(key, doc) {
    const { main, path, example, files, arrays } = doc;
    try {
        const value = { main, path, example, files: { ...files }, arrays: { ...arrays }, when: Date.now() };
        await ask("readwrite", (store) => store.put(value, key));
        return true;
    } catch {
        // A page from disk may have no storage.
        return false;
    }
}

/** The document of a key. Throws with the reason if there is none. @param {string} key @returns {Promise<import("./app.js").Doc>} */
export async function keptDocument(key) {
    const found = await ask("readonly", (store) => store.get(key)).catch(() => undefined);
    if (!found) throw new Error("it is kept in another browser, or no longer");
    const { when, ...doc } = found;
    return { ...doc, key, files: own(doc.files), arrays: own(doc.arrays) };
}

/** All documents, the newest first. @returns {Promise<{ key: string, main: string, bytes: number, when: number }[]>} */
export async function keptDocuments() {
    try {
        const keys = await ask("readonly", (store) => store.getAllKeys());
        const all = await Promise.all(keys.map((key) => ask("readonly", (store) => store.get(key))));
        const size = ({ files, arrays }) => new Blob([...Object.values(files), ...Object.values(arrays)]).size;
        const list = all.map((doc, n) => ({ key: String(keys[n]), main: doc.main, bytes: size(doc), when: doc.when ?? 0 }));
        return list.sort((a, b) => b.when - a.when);
    } catch {
        // As above.
        return [];
    }
}

/** Deletes a document. @param {string} key @returns {Promise<void>} */
export async function forgetDocument(key) {
    await ask("readwrite", (store) => store.delete(key)).catch(() => {});
}
