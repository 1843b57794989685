// The buttons of the page: find mistakes, run on the GPU, share.

import { $, app, say } from "./app.js";
import { remember } from "./document.js";
import { Stopped } from "./engine.js";
import { ask, CHECKS, hold } from "./module.js";
import { sayAgain, showCode } from "./panes.js";
import { ARRAYS, arraysSize, pack } from "./share.js";
import { toProblem } from "./view.js";

/** Says how many things of each kind there are: "1 finding, 2 notes". */
function counted(list) {
    const count = (n, name) => (n > 0 ? [`${n} ${name}${n === 1 ? "" : "s"}`] : []);
    const of = (...severities) => list.filter(({ severity }) => severities.includes(severity)).length;
    return [...count(of("error", "warning"), "finding"), ...count(of("note"), "note")].join(", ");
}

/** Checks every point of a run. */
export async function check() {
    try {
        await app.player.rest();
        if (!(await hold())) return toProblem();
        const { problems } = app.opened;
        const answer = await ask({ check: { seconds: CHECKS } });
        const known = problems.map(({ message }) => message);
        problems.push(...answer.problems.filter(({ message }) => !known.includes(message)));
        showCode();
        const bad = problems.some(({ severity }) => severity !== "note");
        say(`every point was checked: ${counted(problems) || "no findings"}`, bad ? "bad" : "good");
    } catch (error) {
        say(error instanceof Stopped ? "stopped" : error.message.split("\n")[0], "bad");
    }
}

/** Gives the visitor a file. @param {string} name @param {BlobPart} content @param {string} type */
export function download(name, content, type) {
    const url = URL.createObjectURL(new Blob([content], { type }));
    Object.assign(document.createElement("a"), { href: url, download: name }).click();
    URL.revokeObjectURL(url);
}

/** Shows the page that runs the job on the visitor's GPU: that of `ctm export --html`. */
export async function witness() {
    try {
        await app.player.rest();
        if (!(await hold())) return toProblem();
        const packed = await pack(app.doc);
        const link = packed === null ? null : `${location.href.split("#")[0]}#s=${packed}`;
        const { page } = await ask({ witness: { link, seconds: CHECKS } });
        sayAgain();
        $("frame-gpu").srcdoc = page;
        $("save").onclick = () => download(`${app.doc.main}.html`, page, "text/html");
        $("witness").showModal();
    } catch (error) {
        say(error instanceof Stopped ? "stopped" : error.message.split("\n")[0], "bad");
    }
}

/** What a link holds, and what its reader should know. */
function heldByLink() {
    const { doc, opened } = app;
    const arrays = Object.keys(doc.arrays).length;
    const parts = [`it holds the source${arrays > 0 ? ` and ${arrays === 1 ? "your picture or array" : `${arrays} pictures or arrays`}` : ""}`];
    if (opened?.problems.some(({ severity }) => severity === "error")) parts.push("with its error");
    if (location.protocol === "file:") parts.push("it leads to a file of this computer: on another one put what follows # behind the address of the page there");
    return parts.join("; ");
}

/** Copies a link that holds the document. */
export async function share() {
    if (!(await remember())) {
        const size = arraysSize(app.doc.arrays);
        const text = `the arrays have ${Math.ceil(size / 1024)} KiB, and a link holds ${ARRAYS / 1024} KiB: save the files instead`;
        return say(size > ARRAYS ? text : "the document is too large for a link: save the files instead", "bad");
    }
    try {
        await navigator.clipboard.writeText(location.href);
        say(`the link is copied; ${heldByLink()}`, "good");
    } catch {
        say(`the address of this page is the link; ${heldByLink()}`, "good");
    }
}
