// The playground: builds the panes, and wires buttons and keys.

import { check, share, witness } from "./actions.js";
import { $, app, keep, kept, say } from "./app.js";
import { changeBy } from "./change.js";
import { changed, choose, restore } from "./document.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Examples } from "./examples.js";
import { choose as chooseFile, listenToFiles, savePicture, takeDrop } from "./files.js";
import { Form, tab } from "./form.js";
import { explain, explainInstruction, readReference } from "./hover.js";
import { listen, showKeys } from "./keys.js";
import { Listing } from "./listing.js";
import { ask, PATIENCE } from "./module.js";
import { describe, listed, markPoint, sayAgain, seen, show, showProgram } from "./panes.js";
import { Picture } from "./picture.js";
import { Player } from "./play.js";
import { fromBase64, inflate } from "./share.js";
import { splits } from "./splits.js";
import { Stepper } from "./step.js";
import { begin, leave, MOVES, runMove, runTo, step, watchAgain } from "./stepping.js";
import { themes } from "./theme.js";
import { focus, view } from "./view.js";

/** Under this name the browser keeps that the first line was read. */
const READ = "ctm-read";
/** Whether long lines wrap. */
const WRAP = "ctm-wrap";

/** Wraps long lines, or no longer. */
function wrap(on) {
    app.editor.wrap(on);
    $("wrap").setAttribute("aria-pressed", String(on));
    keep(WRAP, on ? "1" : "");
}

function wireBar() {
    // The fragment of the address is the document.
    $("skip").addEventListener("click", (event) => {
        event.preventDefault();
        $("main").focus();
    });
    $("examples").addEventListener("change", ({ target }) => choose(target.value));
    $("stop").addEventListener("click", () => app.engine.stop());
    $("check").addEventListener("click", check);
    $("gpu").addEventListener("click", witness);
    $("witness").addEventListener("close", () => $("frame-gpu").removeAttribute("srcdoc"));
    // A key that is pressed in the frame does not reach the dialog: the frame tells it.
    addEventListener("message", ({ source, data }) => {
        if (source === $("frame-gpu").contentWindow && data === "Escape") $("witness").close();
    });
    $("share").addEventListener("click", share);
    const about = () => $("about").showModal();
    $("help").addEventListener("click", about);
    $("more").addEventListener("click", about);
    $("intro").hidden = kept(READ) !== null;
    $("read").addEventListener("click", () => {
        $("intro").hidden = true;
        keep(READ, "1");
        $("examples").focus();
    });
    $("wrap").addEventListener("click", () => wrap(!app.editor.wraps));
    $("hint").addEventListener("click", check);
    // Without a fragment the page is at its start.
    $("again").hidden = !$("exercise").textContent;
    $("again").addEventListener("click", () => (location.hash = ""));
    for (const name of /** @type {const} */ (["code", "form"])) $(`tab-${name}`).addEventListener("click", () => tab(name));
    /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("nav button")).forEach((button) => {
        button.addEventListener("click", () => view(button.dataset.view));
    });
}

function wireSteps() {
    $("pictures").addEventListener("change", () => app.player.choose());
    $("programs").addEventListener("change", ({ target }) => showProgram(Number(target.value)));
    for (const name of MOVES) $(name).addEventListener("click", () => runMove(name));
    $("leave").addEventListener("click", leave);
    $("watch").addEventListener("change", watchAgain);
    $("watch").addEventListener("keydown", ({ key }) => key === "Enter" && runMove("later"));
    $("slider").addEventListener("input", ({ target }) => {
        if (!app.engine.busy) step({ to: Number(target.value) });
    });
    $("slider").addEventListener("change", ({ target }) => step({ to: Number(target.value) }));
    $("launch").addEventListener("change", ({ target }) => {
        const { state } = app.stepper;
        const wanted = target.value === "" ? state.launch : Math.trunc(Number(target.value));
        const launch = Math.max(0, Math.min(wanted, state.launches - 1));
        target.value = launch;
        // The domain of another launch may be smaller.
        step({ point: [launch, ...app.opened.launches.nearest(launch, state.points[state.slot])] });
    });
}

/** The page in a frame of another one: source and picture alone. */
const embedded = new URLSearchParams(location.search).has("embed");

function wireFrame() {
    document.body.classList.add("embedded");
    const whole = $("whole");
    whole.hidden = false;
    // The address follows what is written.
    const follow = () => (whole.href = location.pathname + location.hash);
    follow();
    for (const name of ["pointerdown", "focus"]) whole.addEventListener(name, follow);
    addEventListener("hashchange", restore);
}

function wireKeys() {
    listen({
        move: runMove,
        group: (by) => app.stepper.state && step({ group: by }),
        play: () => app.player.toggle(),
        wrap: () => wrap(!app.editor.wraps),
        gpu: witness,
        focus,
        check,
        share,
        help: () => $("about").showModal(),
        leave: () => {
            if (app.player.on) app.player.pause();
            else if (app.engine.busy) app.engine.stop();
            else if (app.stepper.state) leave();
        },
    });
    addEventListener("hashchange", restore);
    showKeys($("keys"));
}

function build() {
    app.editor = new Editor($("editor"), {
        changed,
        moved: (line) => app.listing.mark(app.doc.path, line),
        explain: (word, line) => explain(word, line, app.doc.path, app.opened?.programs ?? [], seen()),
    });
    app.listing = new Listing($("listing"), {
        line: (file, line) => {
            if (file !== app.doc.path) show(file);
            app.editor.go(line);
            $("listing").focus();
        },
        run: runTo,
        explain: (text) => explainInstruction(text, listed()),
    });
    app.picture = new Picture({
        canvas: $("canvas"),
        cross: $("cross"),
        frame: $("frame"),
        chosen: (column, row) => embedded || app.player.dragged || begin(column, row),
        asked: describe,
    });
    const ids = "watched watchvalue grid why stepping invite leave where colour slider launches launch legend registers flags".split(" ");
    app.stepper = new Stepper(Object.fromEntries(ids.map((id) => [id, $(id)])), {
        look: markPoint,
        go: (to) => step({ to }),
        why: async (slot, channel) => {
            try {
                return (await ask({ why: { slot, channel, seconds: PATIENCE } })).why;
            } catch (error) {
                return [{ text: error.message }];
            } finally {
                if ($("status").className === "busy") sayAgain();
            }
        },
    });
    app.exampleList = new Examples($("examples"), app.examples);
    app.player = new Player();
    app.form = new Form($("form"), {
        preview: (value) => app.player.preview(value),
        change: changeBy,
        choose: chooseFile,
        dropped: takeDrop,
        save: savePicture,
    });
    listenToFiles();
}

async function start() {
    themes($("theme"));
    view("source");
    say("starting", "busy");
    try {
        const bytes = (id, format) => inflate(fromBase64($(id).textContent), format);
        const [module, list] = await Promise.all([bytes("module", "gzip"), bytes("example-data", "gzip")]);
        app.examples = JSON.parse(new TextDecoder().decode(list));
        app.engine = new Engine($("worker").textContent, await WebAssembly.compile(module));
        build();
        wrap(Boolean(kept(WRAP)));
        splits();
        wireBar();
        wireSteps();
        if (embedded) wireFrame();
        else wireKeys();
        readReference((await app.engine.ask("reference")).text);
        await restore();
    } catch (error) {
        say(`this browser cannot run the playground: ${error.message}`, "bad");
    }
}

addEventListener("DOMContentLoaded", start);
