// What the panes show of the document: files, problems, instructions, pictures, and marks of the stepper.

import { $, app, say, sayError, shownPicture } from "./app.js";
import { KINDS, kinds, showClocks, thousands } from "./clocks.js";
import { Stopped } from "./engine.js";
import { showGoal } from "./goal.js";
import { number } from "./numbers.js";
import { base, showProblems } from "./problems.js";

const HINT = "Point at the picture for values; click to step.";

/* ---- files ---- */

/** Shows a tab for each file. */
export function tabs() {
    const { doc, opened } = app;
    const list = Object.keys(doc.files).map((path) => {
        const tab = document.createElement("button");
        tab.textContent = base(path);
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-selected", String(path === doc.path));
        tab.classList.toggle("wrong", (opened?.problems ?? []).some((one) => one.file === path && one.severity === "error"));
        tab.addEventListener("click", () => show(path));
        return tab;
    });
    $("files").replaceChildren(...list);
    $("files").querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Shows a file in the editor. @param {string} path */
export function show(path) {
    const { doc, editor, opened } = app;
    if (path === doc.path || !(path in doc.files)) return;
    doc.path = path;
    editor.open(path, doc.files[path]);
    const n = opened?.programs?.findIndex((one) => one.file === path) ?? -1;
    if (n >= 0 && Number($("programs").value) !== n) showProgram(n);
    annotate();
    tabs();
}

/* ---- problems and instructions ---- */

/** Lists problems. A file as a whole that is not shown has its name in the list. */
export function problems(list) {
    showProblems($("problems"), list, ({ file, line, column }) => {
        show(file);
        app.editor.go(line, column);
    });
}

/** What the editor shows beside the text of its file. */
export function annotate() {
    const { doc, editor, opened } = app;
    if (!opened) return;
    editor.problems(opened.problems.filter(({ file }) => file === doc.path));
    const map = new Map();
    for (const program of opened.programs ?? []) {
        for (const { file, lines } of program.code) {
            if (file !== doc.path) continue;
            for (const line of lines) map.set(line, (map.get(line) ?? 0) + 1);
        }
    }
    editor.counts(map);
    markNext();
}

/** Shows what the module said about the programs. */
export function showCode() {
    const { doc, opened } = app;
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

/** Lists the instructions of a program. @param {number} n */
export function showProgram(n) {
    const program = app.opened.programs[n];
    $("programs").value = n;
    app.listing.show(program);
    const counts = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
    for (const { kind } of program.code) counts[kind] += 1;
    const parts = kinds(counts);
    $("size").textContent = `${program.code.length}: ${parts.join(", ")} · ${program.temporaries} temporaries`;
    app.listing.mark(app.doc.path, app.editor.line);
    const { state } = app.stepper;
    if (state && !state.end && stepped() === program) app.listing.next(state.pc);
}

/* ---- the run ---- */

/** Shows the last run: its pictures, counters and clocks. */
export function showRun() {
    const { ran, doc, opened } = app;
    $("picture").classList.remove("stale");
    app.pictures = ran.pictures;
    const select = $("pictures");
    const kept = select.value;
    select.replaceChildren(...ran.pictures.map(({ name, format }, n) => new Option(`${name} · ${format}`, n)));
    select.value = ran.pictures[Number(kept)] ? kept || "0" : "0";
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
    showGoal();
}

/** Shows the picture that is chosen. */
export function showPicture() {
    const shown = shownPicture();
    $("range").textContent = "";
    if (!shown) return app.picture.clear();
    const [low, high] = shown.range;
    const plain = low === 0 && high === 1;
    $("range").textContent = `${shown.width} × ${shown.height}${plain ? "" : ` · black ${number(low)}, white ${number(high)}`}`;
    app.picture.show(shown, shown.bytes);
    app.stepper.turn(shown.upward);
    $("under").textContent = HINT;
}

/** The point below the pointer, until its values are asked for. */
let pointed = null;
let describing = false;
/** Shows the values of a point. @param {...number} point column and row */
export async function describe(...point) {
    pointed = point;
    if (describing) return;
    describing = true;
    try {
        while (pointed) {
            const [column, row] = pointed;
            pointed = null;
            const { values } = await app.engine.ask({ element: { picture: Number($("pictures").value), column, row } });
            const units = Uint32Array.from(values?.units ?? []);
            const shown = values?.float ? [...new Float32Array(units.buffer)].map(number) : [...units];
            $("under").textContent = values ? `(${column}, ${row}): ${shown.join(", ")}` : HINT;
        }
    } catch (error) {
        if (!(error instanceof Stopped)) sayError(error);
    } finally {
        describing = false;
    }
}

/** Says what the run of this text gave. */
export function sayAgain() {
    if (app.ran?.version === app.version) showRun();
    else say("");
}

/* ---- the stepper's marks ---- */

/** The program of the launch that is stepped through. */
export function stepped() {
    const { opened, stepper } = app;
    const file = opened.passes[stepper.state?.pass ?? 0]?.program;
    return opened.programs.find((one) => one.file === file) ?? opened.programs[0];
}

/** The stepper, if it steps through a program of the file that is shown. */
export function seen() {
    return app.stepper.state && app.opened?.programs && isOf(stepped(), app.doc.path) ? app.stepper : null;
}

/** The stepper, if it steps through the program that is listed. */
export function listed() {
    const { opened, stepper } = app;
    return stepper.state && opened?.programs?.[Number($("programs").value)] === stepped() ? stepper : null;
}

/** Whether a file is a source of a program. */
export function isOf(program, path) {
    return program.file === path || program.code.some(({ file }) => file === path);
}

/** Marks the line that runs next. */
export function markNext() {
    const { state } = app.stepper;
    const code = state && !state.end && app.opened?.programs ? stepped().code[state.pc] : null;
    app.editor.next(code && code.file === app.doc.path ? (code.lines[0] ?? 0) : 0);
}

/** Marks the point that is looked at, and its group. */
export function markPoint() {
    const { state } = app.stepper;
    if (!state) return app.picture.mark(null);
    const [i, j] = state.points[0];
    app.picture.mark(state.points[state.slot], [i, j, state.width, 64 / state.width]);
}
