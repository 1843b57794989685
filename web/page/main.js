// The playground: a document of files, the module in a worker, and the panes that show what it says.

import { KINDS, kinds, showClocks, thousands } from "./clocks.js";
import { Editor } from "./editor.js";
import { Engine, pack as packFiles, Stopped } from "./engine.js";
import { Examples } from "./examples.js";
import { explain, readReference } from "./hover.js";
import { listen, showKeys } from "./keys.js";
import { Launches } from "./launches.js";
import { Listing } from "./listing.js";
import { Picture } from "./picture.js";
import { base, showProblems } from "./problems.js";
import { fromBase64, inflate, own, pack, unpack } from "./share.js";
import { number, Stepper } from "./step.js";
import { themes } from "./theme.js";

/** Milliseconds without a key before the picture is made again. */
const PAUSE = 120;
/** Seconds that a picture may take, and a check of all points. */
const PATIENCE = 10;
const CHECKS = 60;
/** Milliseconds after which the button to stop is shown. */
const SLOW = 250;
/** What the page says meanwhile, by request. */
const DOING = { open: "compiling", check: "checking every point", witness: "making the page" };

const HINT = "Point at the picture for values; click to step.";

const $ = (id) => document.getElementById(id);

/** What is being worked on: `main`, the job or the program that runs; `files`, texts by path, without inherited names;
 *  `example`, whose arrays the job may read; `path`, the file that is shown. */
let doc;
/** The arrays of each example, by path. */
let examples;
let engine;
/** The list of examples. */
let exampleList;
let editor;
let listing;
let picture;
let stepper;
/** What the module said about the document: about its programs, and its last run. */
let opened = null;
let ran = null;
let pictures = [];
/** Counts changes of the document. */
let version = 0;
/** What the worker has open: a version of the document in one worker. */
let held = "";

/* ---- the document ---- */

function exampleOf(name) {
    return examples.find((example) => example.name === name);
}

/** All files that the module gets. */
function files() {
    const data = Object.entries(exampleOf(doc.example)?.data ?? {});
    return new Map([...data.map(([path, text]) => [path, fromBase64(text)]), ...Object.entries(doc.files)]);
}

/** The document is another one; the attribute tells tests which one the page is about. */
function renew() {
    version += 1;
    document.body.dataset.version = version;
}

function open(next) {
    clearTimeout(timer);
    timer = 0;
    doc = next;
    renew();
    engine.stop();
    stepper.show(null);
    picture.mark(null);
    editor.clear();
    exampleList.name(doc);
    tabs();
    editor.open(doc.path, doc.files[doc.path]);
    return refresh();
}

/** Opens another example. The browser's way back leads to what was written before. */
async function choose(name) {
    if (exampleList.changed) {
        await remember();
        history.pushState(null, "", location.href);
    }
    return openExample(name);
}

function openExample(name) {
    const { main, files, path } = exampleOf(name);
    history.replaceState(null, "", `#e=${encodeURIComponent(name)}`);
    return open({ main, files: own(files), example: name, path });
}

function tabs() {
    const list = Object.keys(doc.files).map((path) => {
        const tab = document.createElement("button");
        tab.textContent = base(path);
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-selected", path === doc.path);
        tab.classList.toggle("wrong", (opened?.problems ?? []).some((one) => one.file === path && one.severity === "error"));
        tab.addEventListener("click", () => show(path));
        return tab;
    });
    $("files").replaceChildren(...list);
}

function show(path) {
    if (path === doc.path || !(path in doc.files)) return;
    doc.path = path;
    editor.open(path, doc.files[path]);
    const n = opened?.programs?.findIndex((one) => one.file === path) ?? -1;
    if (n >= 0 && Number($("programs").value) !== n) showProgram(n);
    annotate();
    tabs();
}

/** Until it fires, the page is about an older text. */
let timer = 0;
function changed(text) {
    doc.files[doc.path] = text;
    renew();
    exampleList.name(doc);
    clearTimeout(timer);
    timer = setTimeout(catchUp, PAUSE);
}

function catchUp() {
    clearTimeout(timer);
    timer = 0;
    // What is running is about an older text.
    engine.stop();
    remember();
    return refresh();
}

/** Puts the document into the address, so that a reload and a copied address restore it. Returns whether it fits. */
async function remember() {
    const at = version;
    const packed = await pack(doc);
    if (at === version) history.replaceState(null, "", packed === null ? "#" : `#s=${packed}`);
    return packed !== null;
}

/** Opens what the address says, else the first example. */
async function restore() {
    const [, kind, text] = location.hash.match(/^#([se])=(.*)$/) ?? [];
    let next;
    let name = examples[0].name;
    try {
        if (kind === "s") next = await unpack(text);
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
    const known = examples.find(({ name }) => [name, encodeURIComponent(name)].includes(text));
    if (!known) throw new Error("it names no example");
    return known.name;
}

/* ---- the module ---- */

function say(text, kind = "") {
    $("status").textContent = text;
    // A long text is cut.
    $("status").title = text;
    $("status").className = kind;
}

/** A request that shows the button to stop if it takes long. */
async function ask(request, blobs) {
    const slow = setTimeout(() => {
        $("stop").hidden = false;
        say(DOING[Object.keys(request)[0]] ?? "running", "busy");
    }, SLOW);
    try {
        return await engine.ask(request, blobs);
    } finally {
        clearTimeout(slow);
        $("stop").hidden = !engine.busy;
    }
}

/** Makes sure that the worker has the document open. Returns whether it is a job that can run. */
async function hold() {
    if (timer) await catchUp();
    const wanted = `${version} ${engine.generation}`;
    if (held === wanted) return opened?.passes !== undefined;
    const { list, blobs } = packFiles(files());
    const answer = await ask({ open: { main: doc.main, files: list, seconds: PATIENCE } }, blobs);
    held = wanted;
    opened = { ...answer, launches: answer.passes && new Launches(answer.passes) };
    return answer.passes !== undefined;
}

/** Compiles and runs the document, and shows everything. */
async function refresh() {
    const at = version;
    const current = () => at === version;
    try {
        const runs = await hold();
        if (!current()) return;
        showCode();
        if (!runs) {
            const errors = opened.problems.length;
            say(errors === 1 ? "1 error" : `${errors} errors`, "bad");
            $("picture").classList.add("stale");
            document.body.dataset.done = at;
            return;
        }
        const answer = await ask({ run: { seconds: PATIENCE } });
        if (!current()) return;
        ran = { ...answer, version };
        showRun();
        const { state } = stepper;
        if (state) {
            const { launches } = opened;
            const [launch, point] = [Math.min(state.launch, launches.last()), state.points[state.slot]];
            if (launches.runs(launch, point)) await step({ point: [launch, ...point] });
            else leave();
        }
    } catch (error) {
        if (!current()) return;
        if (error instanceof Stopped) {
            say(error.message, "bad");
        } else {
            say(error.message.split("\n")[0], "bad");
            problems([{ file: doc.main, line: 0, severity: "error", message: error.message }]);
        }
        $("picture").classList.add("stale");
    }
    document.body.dataset.done = at;
}

/* ---- problems and instructions ---- */

function problems(list) {
    showProblems($("problems"), list, ({ file, line, column }) => {
        show(file);
        editor.go(line, column);
    });
}

/** What the editor shows beside the text of its file. */
function annotate() {
    if (!opened) return;
    editor.problems(opened.problems.filter(({ file }) => file === doc.path));
    const map = new Map();
    for (const program of opened.programs ?? []) {
        for (const { file, line } of program.code) {
            if (file === doc.path && line > 0) map.set(line, (map.get(line) ?? 0) + 1);
        }
    }
    editor.counts(map);
    markNext();
}

function showCode() {
    problems(opened.problems);
    annotate();
    tabs();
    for (const pane of ["code", "step"]) $(pane).classList.toggle("stale", !opened.programs);
    if (!opened.programs) return;
    const programs = $("programs");
    const kept = programs.value;
    programs.replaceChildren(...opened.programs.map(({ file }, n) => new Option(base(file), n)));
    programs.hidden = opened.programs.length < 2;
    const wanted = opened.programs.findIndex(({ file }) => file === doc.path);
    showProgram(wanted >= 0 ? wanted : Math.min(Number(kept) || 0, opened.programs.length - 1));
}

function showProgram(n) {
    const program = opened.programs[n];
    $("programs").value = n;
    listing.show(program);
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
    for (const { kind } of program.code) counts[kind] += 1;
    const parts = kinds(counts);
    $("size").textContent = `${program.code.length}: ${parts.join(", ")} · ${program.temporaries} temporaries`;
    listing.mark(doc.path, editor.line);
    const { state } = stepper;
    if (state && !state.end && stepped() === program) listing.next(state.pc);
}

/* ---- the run ---- */

function showRun() {
    $("picture").classList.remove("stale");
    pictures = ran.pictures;
    const select = $("pictures");
    const kept = select.value;
    select.replaceChildren(...pictures.map(({ name, format }, n) => new Option(`${name} · ${format}`, n)));
    select.value = pictures[Number(kept)] ? kept || "0" : "0";
    showPicture();
    const milliseconds = ran.execute_ms + (ran.compile_ms ?? 0);
    const faults = ran.faults.map((message) => ({ file: doc.main, line: 0, severity: "error", message }));
    problems([...opened.problems, ...faults]);
    const warnings = faults.length > 0;
    say(
        warnings ? ran.faults[0] : `${ran.mode} · ${thousands(ran.points)} points in ${milliseconds.toFixed(0)} ms`,
        warnings ? "bad" : "good",
    );
    showClocks($("clocks"), ran);
}

function showPicture() {
    const shown = pictures[Number($("pictures").value)];
    $("range").textContent = "";
    if (!shown) return picture.clear();
    const [low, high] = shown.range;
    const plain = low === 0 && high === 1;
    $("range").textContent = `${shown.width} × ${shown.height}${plain ? "" : ` · black ${number(low)}, white ${number(high)}`}`;
    picture.show(shown, ran.blob(shown.pixels));
    stepper.turn(shown.upward);
    $("under").textContent = HINT;
}

/** The point below the pointer, until its values are asked for. */
let pointed = null;
let describing = false;
async function describe(...point) {
    pointed = point;
    if (describing) return;
    describing = true;
    try {
        while (pointed) {
            const [column, row] = pointed;
            pointed = null;
            const { values } = await engine.ask({ element: { picture: Number($("pictures").value), column, row } });
            const units = Uint32Array.from(values?.units ?? []);
            const shown = values?.float ? [...new Float32Array(units.buffer)].map(number) : [...units];
            $("under").textContent = values ? `(${column}, ${row}): ${shown.join(", ")}` : HINT;
        }
    } catch (error) {
        if (!(error instanceof Stopped)) say(error.message.split("\n")[0], "bad");
    } finally {
        describing = false;
    }
}

/* ---- stepping ---- */

let stepping = Promise.resolve();
/** What the worker had open when the stepper moved last: see `held`. */
let walked = "";

/** Moves the stepper; one movement at a time. */
function step(to) {
    stepping = stepping.then(() => move(to));
    return stepping;
}

async function move(to) {
    try {
        if (!(await hold())) return;
        const moved = (to) => ask({ step: { to, seconds: PATIENCE } });
        const { state: before } = stepper;
        if (before && walked !== held && !to.point) {
            // A new worker knows no position.
            await moved({ point: [before.launch, ...before.points[before.slot]] });
            await moved({ to: before.step });
        }
        const state = await moved(to);
        walked = held;
        stepper.show(state, Boolean(to.point));
        if (!$("status").classList.contains("good")) sayAgain();
        const program = stepped();
        // A point that was chosen leads to its program.
        if (to.point && !isOf(program, doc.path)) show(program.file);
        const n = opened.programs.indexOf(program);
        if (Number($("programs").value) !== n) showProgram(n);
        listing.next(state.end ? -1 : state.pc);
        markNext();
        markPoint();
        const code = program.code[state.pc];
        $("next").textContent = state.end ?? `${state.pc}  ${code?.text ?? ""}`;
    } catch (error) {
        say(error instanceof Stopped ? "stopped" : error.message.split("\n")[0], "bad");
    }
}

/** Says what the run of this text gave. */
function sayAgain() {
    if (ran?.version === version) showRun();
    else say("");
}

/** The program of the launch that is stepped through. */
function stepped() {
    const file = opened.passes[stepper.state?.pass ?? 0]?.program;
    return opened.programs.find((one) => one.file === file) ?? opened.programs[0];
}

/** The stepper, if it steps through a program of the file that is shown. */
function seen() {
    return stepper.state && opened?.programs && isOf(stepped(), doc.path) ? stepper : null;
}

/** Whether a file is a source of a program. */
function isOf(program, path) {
    return program.file === path || program.code.some(({ file }) => file === path);
}

function markNext() {
    const { state } = stepper;
    const code = state && !state.end && opened?.programs ? stepped().code[state.pc] : null;
    editor.next(code && code.file === doc.path ? code.line : 0);
}

function markPoint() {
    const { state } = stepper;
    if (!state) return picture.mark(null);
    const [i, j] = state.points[0];
    picture.mark(state.points[state.slot], [i, j, state.width, 64 / state.width]);
}

/** Starts stepping at a point of the picture, or at the middle of a launch: the launch that is stepped through, if the
 *  point is in it, else the last one that wrote the picture, or read it. */
function begin(column, row, launch) {
    if (!opened?.passes) return toProblem();
    const { launches } = opened;
    const shown = pictures[Number($("pictures").value)]?.buffer;
    const chosen = column === undefined ? null : [column, row];
    launch ??= stepper.state?.launch ?? launches.last();
    if (chosen && !(stepper.state && launches.runs(launch, chosen))) {
        launch = launches.last(({ outputs }) => outputs.includes(shown), ({ inputs }) => inputs.includes(shown));
    }
    view("step");
    if (chosen) describe(...chosen);
    return step({ point: [launch, ...launches.nearest(launch, chosen)] });
}

/** Runs to an instruction of the program that is listed. */
async function runTo(pc) {
    if (!opened?.programs) return;
    const program = opened.programs[Number($("programs").value)];
    if (!stepper.state || stepped() !== program) {
        await begin(undefined, undefined, opened.launches.last((pass) => pass.program === program.file));
    }
    await step({ pc: [pc, true] });
}

function leave() {
    stepper.show(null);
    listing.next(-1);
    markNext();
    markPoint();
}

const moves = {
    first: () => step({ end: false }),
    back: () => step({ by: -1 }),
    forward: () => (stepper.state ? step({ by: 1 }) : begin()),
    last: () => step({ end: true }),
};

function runMove(name) {
    if (name === "forward" || stepper.state) moves[name]();
    else begin();
    return true;
}

/* ---- the page ---- */

/** Leads to what keeps the document from running. */
function toProblem() {
    $("problems").querySelector(".error button")?.focus();
}

async function check() {
    try {
        if (!(await hold())) return toProblem();
        const answer = await ask({ check: { seconds: CHECKS } });
        const known = opened.problems.map(({ message }) => message);
        const fresh = answer.problems.filter(({ message }) => !known.includes(message));
        opened.problems.push(...fresh);
        showCode();
        const count = opened.problems.length;
        say(count === 0 ? "every point was checked: no findings" : `every point was checked: ${count} finding${count === 1 ? "" : "s"}`, count ? "bad" : "good");
    } catch (error) {
        say(error instanceof Stopped ? "stopped" : error.message.split("\n")[0], "bad");
    }
}

/** Shows the page that runs the job on the visitor's GPU: that of `ctm export --html`. */
async function witness() {
    try {
        if (!(await hold())) return toProblem();
        const { page } = await ask({ witness: { seconds: CHECKS } });
        sayAgain();
        $("frame-gpu").srcdoc = page;
        $("save").onclick = () => {
            const url = URL.createObjectURL(new Blob([page], { type: "text/html" }));
            const link = Object.assign(document.createElement("a"), { href: url, download: `${doc.main}.html` });
            link.click();
            URL.revokeObjectURL(url);
        };
        $("witness").showModal();
    } catch (error) {
        say(error instanceof Stopped ? "stopped" : error.message.split("\n")[0], "bad");
    }
}

async function share() {
    if (!(await remember())) return say("the source is too long for a link", "bad");
    try {
        await navigator.clipboard.writeText(location.href);
        say("the link is copied; it holds the source", "good");
    } catch {
        say("the address of this page is the link; it holds the source", "good");
    }
}

function view(name) {
    document.body.dataset.view = name;
    for (const button of document.querySelectorAll("nav button")) {
        button.setAttribute("aria-pressed", button.dataset.view === name);
    }
}

function focus(name) {
    view(name);
    if (name === "source") editor.view.focus();
    else $({ code: "listing", step: "forward", picture: "canvas" }[name]).focus();
}

function wire() {
    $("examples").addEventListener("change", ({ target }) => choose(target.value));
    $("stop").addEventListener("click", () => engine.stop());
    $("check").addEventListener("click", check);
    $("gpu").addEventListener("click", witness);
    $("witness").addEventListener("close", () => $("frame-gpu").removeAttribute("srcdoc"));
    // A key that is pressed in the frame does not reach the dialog: the frame tells it.
    addEventListener("message", ({ source, data }) => {
        if (source === $("frame-gpu").contentWindow && data === "Escape") $("witness").close();
    });
    $("share").addEventListener("click", share);
    $("help").addEventListener("click", () => $("about").showModal());
    $("pictures").addEventListener("change", showPicture);
    $("programs").addEventListener("change", ({ target }) => showProgram(Number(target.value)));
    for (const name of Object.keys(moves)) $(name).addEventListener("click", () => runMove(name));
    $("leave").addEventListener("click", leave);
    $("slider").addEventListener("input", ({ target }) => {
        if (!engine.busy) step({ to: Number(target.value) });
    });
    $("slider").addEventListener("change", ({ target }) => step({ to: Number(target.value) }));
    $("launch").addEventListener("change", ({ target }) => {
        const { state } = stepper;
        const wanted = target.value === "" ? state.launch : Math.trunc(Number(target.value));
        const launch = Math.max(0, Math.min(wanted, state.launches - 1));
        target.value = launch;
        step({ point: [launch, ...state.points[state.slot]] });
    });
    document.querySelectorAll("nav button").forEach((button) => {
        button.addEventListener("click", () => view(button.dataset.view));
    });
    listen({
        move: runMove,
        group: (by) => stepper.state && step({ group: by }),
        gpu: witness,
        focus,
        check,
        share,
        help: () => $("about").showModal(),
        leave: () => {
            if (engine.busy) engine.stop();
            else if (stepper.state) leave();
        },
    });
    addEventListener("hashchange", restore);
    showKeys($("keys"));
}

function build() {
    editor = new Editor($("editor"), {
        changed,
        moved: (line) => listing.mark(doc.path, line),
        explain: (word, line) => explain(word, line, doc.path, opened?.programs ?? [], seen()),
    });
    listing = new Listing($("listing"), {
        line: (file, line) => {
            if (file !== doc.path) show(file);
            editor.go(line);
            $("listing").focus();
        },
        run: runTo,
    });
    picture = new Picture({ canvas: $("canvas"), cross: $("cross"), frame: $("frame"), chosen: begin, asked: describe });
    const ids = "watched grid why stepping invite leave where slider launches launch legend registers flags".split(" ");
    stepper = new Stepper(Object.fromEntries(ids.map((id) => [id, $(id)])), {
        look: markPoint,
        why: async (slot, channel) => {
            try {
                return (await ask({ why: { slot, channel, seconds: PATIENCE } })).text;
            } catch (error) {
                return error.message;
            }
        },
    });
    exampleList = new Examples($("examples"), examples);
}

async function start() {
    themes($("theme"));
    view("source");
    say("starting", "busy");
    try {
        const bytes = (id, format) => inflate(fromBase64($(id).textContent), format);
        const [module, list] = await Promise.all([bytes("module", "gzip"), bytes("example-data", "gzip")]);
        examples = JSON.parse(new TextDecoder().decode(list));
        engine = new Engine($("worker").textContent, await WebAssembly.compile(module));
        build();
        wire();
        readReference((await engine.ask("reference")).text);
        await restore();
    } catch (error) {
        say(`this browser cannot run the playground: ${error.message}`, "bad");
    }
}

addEventListener("DOMContentLoaded", start);
