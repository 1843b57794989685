// Changes that the form makes: the module writes them into the job's text, and the page is about the new text.

import { app, sayError } from "./app.js";
import { adopt, refresh, remember } from "./document.js";
import { Stopped } from "./engine.js";
import { ask, hold, packed, PATIENCE } from "./module.js";

let changing = Promise.resolve();

/**
 * Makes a change; one after the other. A new value runs without being compiled.
 * @param {object} change of web/src/form.rs, with one key @returns {Promise<void>}
 */
export function changeBy(change) {
    changing = changing.then(() => make(change));
    return changing;
}

async function make(change) {
    try {
        await app.player.inflight;
        if (!(await hold())) return;
        const { doc } = app;
        const { list, blobs } = packed();
        const answer = await ask({ change: { main: doc.main, files: list, change, seconds: PATIENCE } }, blobs);
        const isNew = answer.main !== doc.main;
        for (const { path, bytes } of answer.files) doc.arrays[path] ??= answer.blob(bytes);
        doc.main = answer.main;
        adopt(answer.main, answer.text);
        remember();
        if (change.value && !isNew) return kept(change.value);
        await refresh(false);
    } catch (error) {
        if (!(error instanceof Stopped)) sayError(error);
    }
}

/** The worker has the value already, or gets it with the next frame: only the text is new. */
async function kept(value) {
    const { pass, name, numbers } = value;
    const { form } = app.opened;
    const at = form.values.findIndex((one) => one.name === name && one.pass === pass);
    form.values[at].numbers = [...numbers];
    form.given[at] = true;
    app.held = `${app.version} ${app.engine.generation}`;
    app.ran.version = app.version;
    await app.player.show(value);
    document.body.dataset.done = String(app.version);
}
