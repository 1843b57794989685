// The document: opened, written, kept in the address, and run.

import { $, app, say } from "./app.js";
import { Stopped } from "./engine.js";
import { ask, exampleOf, hold, PATIENCE } from "./module.js";
import { problems, showCode, showRun, tabs } from "./panes.js";
import { withBytes } from "./play.js";
import { compare } from "./same.js";
import { own, pack, unpack } from "./share.js";
import { leave, step } from "./stepping.js";
import { keepDocument, keptDocument } from "./storage.js";

/** Milliseconds without a key before the picture is made again. */
const PAUSE = 120;
/** Milliseconds that a frame gets to end before the worker is ended for a new text. */
const SHORT = 300;

/** The document is another one; the attribute tells tests which one the page is about. */
function renew() {
    app.version += 1;
    document.body.dataset.version = String(app.version);
}

/** Opens a document. @param {import("./app.js").Doc} next @returns {Promise<void>} */
export function open(next) {
    clearTimeout(app.timer);
    app.timer = 0;
    app.doc = { ...next, arrays: next.arrays ?? own({}) };
    app.start = own({ ...next.files });
    renew();
    app.player.pause();
    app.engine.stop();
    app.stepper.show(null);
    app.picture.mark(null);
    app.editor.clear();
    app.exampleList.name(app.doc);
    tabs();
    app.editor.open(next.path, next.files[next.path]);
    return refresh(true);
}

const newKey = () => crypto.getRandomValues(new Uint32Array(1))[0].toString(36);

/** Opens another example. What was written before is kept, and the browser's way back leads to it.
 *  @param {string} name @returns {Promise<void>} */
export async function choose(name) {
    if (app.exampleList.changed) {
        const { doc } = app;
        await remember();
        history.pushState(null, "", location.href);
        doc.key ??= newKey();
        await keepDocument(doc.key, doc);
    }
    return openExample(name);
}

function openExample(name) {
    const { main, files, path } = exampleOf(name);
    history.replaceState(null, "", `#e=${encodeURIComponent(name)}`);
    return open({ main, files: own(files), arrays: own({}), example: name, path });
}

/** A file has another text, which the form made. @param {string} path @param {string} text */
export function adopt(path, text) {
    app.doc.files[path] = text;
    renew();
    app.exampleList.name(app.doc);
    tabs();
    if (path === app.doc.path) app.editor.open(path, text);
}

/** The text of the file that is shown is another one. @param {string} text */
export function changed(text) {
    app.doc.files[app.doc.path] = text;
    renew();
    app.exampleList.name(app.doc);
    clearTimeout(app.timer);
    app.timer = setTimeout(app.catchUp, PAUSE);
}

app.catchUp = async () => {
    clearTimeout(app.timer);
    app.timer = 0;
    remember();
    // What is running is about an older text. A frame soon ends by itself.
    if (app.player.inflight) {
        await Promise.race([app.player.inflight, new Promise((late) => setTimeout(late, SHORT))]);
        if (app.timer) return;
    }
    app.engine.stop();
    await refresh(false);
};

/** Puts the document into the address, so that a reload and a copied address restore it. What is too large for it is kept
 *  in the browser, and the address has its key. Returns whether it fits. @returns {Promise<boolean>} */
export async function remember() {
    const at = app.version;
    const { doc } = app;
    const packed = await pack(doc);
    if (at !== app.version) return packed !== null;
    let fragment = `#s=${packed}`;
    if (packed === null) {
        doc.key ??= newKey();
        fragment = (await keepDocument(doc.key, doc)) ? `#k=${doc.key}` : "#";
    }
    if (at === app.version) history.replaceState(null, "", fragment);
    return packed !== null;
}

/** Opens what the address says, else the first example. @returns {Promise<void>} */
export async function restore() {
    const [, kind, text] = location.hash.match(/^#([sek])=(.*)$/) ?? [];
    let next;
    let name = app.examples[0].name;
    try {
        // What is in the page comes from who made the page.
        if (!kind && $("exercise").textContent) next = await unpack($("exercise").textContent, Infinity);
        if (kind === "s") next = await unpack(text);
        if (kind === "k") next = await keptDocument(text);
        if (kind === "e") name = exampleNamed(text);
    } catch (error) {
        await openExample(name);
        say(`the address holds no document: ${error.message}`, "bad");
        return;
    }
    if (next) open({ ...next, example: exampleOf(next.example) ? next.example : "" });
    else openExample(name);
}

/** The name of an example in an address. */
function exampleNamed(text) {
    const known = app.examples.find(({ name }) => [name, encodeURIComponent(name)].includes(text));
    if (!known) throw new Error("it names no example");
    return known.name;
}

/** Compiles and runs the document, and shows everything. @param {boolean} fresh whether it was just opened
 *  @returns {Promise<void>} */
export async function refresh(fresh) {
    const at = app.version;
    const current = () => at === app.version;
    try {
        const runs = await hold();
        if (!current()) return;
        showCode();
        $("same").hidden = true;
        if (!runs) {
            const errors = app.opened.problems.filter(({ severity }) => severity === "error").length;
            say(errors === 1 ? "1 error" : `${errors} errors`, "bad");
            $("picture").classList.add("stale");
            document.body.dataset.done = String(at);
            return;
        }
        const answer = await ask({ run: { seconds: PATIENCE } });
        if (!current()) return;
        app.ran = withBytes(answer, app.version);
        showRun();
        compare();
        app.form.show(app.opened.form, app.doc.main.endsWith(".toml"));
        document.body.dataset.done = String(at);
        app.player.renew(fresh);
        const { state } = app.stepper;
        if (state) {
            const { launches } = app.opened;
            const [launch, point] = [Math.min(state.launch, launches.last()), state.points[state.slot]];
            if (launches.runs(launch, point)) await step({ point: [launch, ...point] });
            else leave();
        }
    } catch (error) {
        if (!current()) return;
        app.player.pause();
        if (error instanceof Stopped) {
            say(error.message, "bad");
        } else {
            say(error.message.split("\n")[0], "bad");
            const file = app.doc.main;
            // The list names the file itself.
            const message = error.message.replace(`${file}: `, "");
            problems([{ file, line: 0, severity: "error", message }]);
        }
        $("picture").classList.add("stale");
    }
    document.body.dataset.done = String(at);
}
