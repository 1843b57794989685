// The module: requests with a button to stop them, and the document that it has open.

import { $, app, say } from "./app.js";
import { pack } from "./engine.js";
import { Launches } from "./launches.js";
import { fromBase64 } from "./share.js";

/** Seconds that a picture may take, and a check of all points. */
export const PATIENCE = 10;
export const CHECKS = 60;
/** Milliseconds after which the button to stop is shown. */
const SLOW = 250;
/** What the page says meanwhile, by request. */
const DOING = { open: "compiling", check: "checking every point", witness: "making the page" };

/** The example of a name. @param {string} name @returns {any} undefined if there is none */
export const exampleOf = (name) => app.examples.find((example) => example.name === name);

/** The arrays and pictures of a document, by path. @param {import("./app.js").Doc} doc @returns {[string, Uint8Array][]} */
export function dataOf({ example, arrays }) {
    const data = Object.entries(exampleOf(example)?.data ?? {}).filter(([path]) => !(path in arrays));
    return [...data.map(([path, text]) => /** @type {[string, Uint8Array]} */ ([path, fromBase64(text)])), ...Object.entries(arrays)];
}

/** All files of the document as a request wants them. @returns {ReturnType<typeof pack>} */
export const packed = () => pack([...dataOf(app.doc), ...Object.entries(app.doc.files)]);

/**
 * The answer to a request. The button to stop it is shown if it takes long.
 * @param {object} request what is asked, with one key @param {Uint8Array[]} [blobs] @returns {Promise<any>}
 */
export async function ask(request, blobs) {
    const slow = setTimeout(() => {
        $("stop").hidden = false;
        say(DOING[Object.keys(request)[0]] ?? "running", "busy");
    }, SLOW);
    try {
        return await app.engine.ask(request, blobs);
    } finally {
        clearTimeout(slow);
        $("stop").hidden = !app.engine.busy;
    }
}

/** Makes sure that the worker has the document open. Returns whether it is a job that can run.
 *  @returns {Promise<boolean>} */
export async function hold() {
    if (app.timer) await app.catchUp();
    const wanted = `${app.version} ${app.engine.generation}`;
    if (app.held === wanted) return app.opened?.passes !== undefined;
    const { list, blobs } = packed();
    const answer = await ask({ open: { main: app.doc.main, files: list, seconds: PATIENCE } }, blobs);
    app.held = wanted;
    app.opened = { ...answer, launches: answer.passes && new Launches(answer.passes) };
    return answer.passes !== undefined;
}
