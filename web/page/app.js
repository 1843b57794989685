// What all parts of the page share: the document, what the module said about it, the panes, and the line of state.

/**
 * What is being worked on.
 * @typedef {object} Doc
 * @property {string} main the job or the program that runs
 * @property {string} path the file that is shown
 * @property {string} example the example that it began as; its arrays are the document's, too
 * @property {Record<string, string>} files texts by path, without inherited names
 * @property {Record<string, Uint8Array>} arrays its own arrays and pictures by path, beside those of the example
 * @property {string} [key] under which the browser keeps it, if it is too large for an address
 *
 * A uniform or constant, as web/src/values.rs gives it.
 * @typedef {{ name: string, pass: number, of: string, kind: string, columns: number, rows: number,
 *     numbers: (number | null)[], by_source: boolean }} Value
 */

export const app = {
    /** @type {Doc} */
    doc: null,
    /** The texts of the document when it was opened. @type {Record<string, string>} */
    start: {},
    /** The examples of the page. */
    examples: [],
    /** The worker, and the parts of the page that `main.js` builds. */
    engine: null,
    exampleList: null,
    editor: null,
    listing: null,
    picture: null,
    stepper: null,
    player: null,
    form: null,
    /** What the module said about the document: about its programs, and its last run. */
    opened: null,
    ran: null,
    pictures: [],
    /** Counts changes of the document. */
    version: 0,
    /** What the worker has open: a version of the document in one worker. */
    held: "",
    /** Until it fires, the page is about an older text. */
    timer: 0,
    /** Makes the page be about the text of now. `document.js` sets it. */
    catchUp: async () => {},
};

/** @returns {any} the element of an id */
export const $ = (id) => document.getElementById(id);

/** Says something in the line of state. @param {string} text @param {"" | "good" | "bad" | "busy"} kind */
export function say(text, kind = "") {
    $("status").textContent = text;
    // A long text is cut.
    $("status").title = text;
    $("status").className = kind;
}

/** Says why something did not work. @param {Error} error */
export function sayError(error) {
    say(error.message.split("\n")[0], "bad");
}

/** The picture that is chosen. */
export const shownPicture = () => app.pictures[Number($("pictures").value)];

/** What the browser keeps for the page under a name; null if it keeps nothing. @param {string} name */
export function kept(name) {
    try {
        return localStorage.getItem(name);
    } catch {
        // A page from disk may have no storage.
        return null;
    }
}

/** Keeps a text under a name, where the browser has storage for the page. */
export function keep(name, text) {
    try {
        localStorage.setItem(name, text);
    } catch {
        // As above.
    }
}
