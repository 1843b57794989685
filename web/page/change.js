// Changes that the form makes: the module writes them into the job's text, and the page is about the new text.

import { app, sayError } from "./app.js";
import { adopt, refresh, remember } from "./document.js";
import { Stopped } from "./engine.js";
import { ask, hold, packed, PATIENCE } from "./module.js";

let changing = Promise.resolve(false);

/**
 * Makes a change; one after the other. A new value runs without being compiled. Returns whether it was made.
 * @param {object} change of web/src/form.rs, with one key @returns {Promise<boolean>}
 */
export function changeBy(change) {
    const made = changing.then(() => make(change));
    changing = made;
    return made;
}

async function make(change) {
    try {
        await app.player.inflight;
        if (!(await hold())) return false;
        const { doc } = app;
        const { list, blobs } = packed();
        const answer = await ask({ change: { main: doc.main, files: list, change, seconds: PATIENCE } }, blobs);
        const isNew = answer.main !== doc.main;
        for (const { path, bytes } of answer.files) doc.arrays[path] ??= answer.blob(bytes);
        doc.main = answer.main;
        adopt(answer.main, answer.text);
        remember();
        if (change.value && !isNew) await kept(change.value);
        else await refresh(false);
        return true;
    } catch (error) {
        if (!(error instanceof Stopped)) sayError(error);
        return false;
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
