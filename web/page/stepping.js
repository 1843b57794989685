// Stepping: movements of the debugger, and what the page shows of each.

import { $, app, say, shownPicture } from "./app.js";
import { Stopped } from "./engine.js";
import { ask, hold, PATIENCE } from "./module.js";
import { describe, isOf, markNext, markPoint, sayAgain, show, showProgram, stepped } from "./panes.js";
import { toProblem, view } from "./view.js";

let stepping = Promise.resolve();
/** What the worker had open when the stepper moved last: see `app.held`. */
let walked = "";

/** The expression that the last movement took along. */
let watched = "";

/** Moves the stepper; one movement at a time. */
export function step(to) {
    stepping = stepping.then(() => move(to));
    return stepping;
}

async function move(to) {
    const { stepper, listing } = app;
    try {
        await app.player.rest();
        if (!(await hold())) return;
        watched = $("watch").value;
        const moved = (to) => ask({ step: { to, watch: watched, seconds: PATIENCE } });
        const { state: before } = stepper;
        const now = `${app.held} ${app.player.frames}`;
        if (before && walked !== now && !to.point) {
            // A new worker knows no position.
            await moved({ point: [before.launch, ...before.points[before.slot]] });
            await moved({ to: before.step });
        }
        const state = await moved(to);
        walked = now;
        stepper.show(state, Boolean(to.point));
        if (!$("status").classList.contains("good")) sayAgain();
        const program = stepped();
        // A point that was chosen leads to its program.
        if (to.point && !isOf(program, app.doc.path)) show(program.file);
        const n = app.opened.programs.indexOf(program);
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

/** Starts stepping at a point of the picture, or at the middle of a launch: the launch that is stepped through, if the
 *  point is in it, else the last one that wrote the picture, or read it. */
export function begin(column, row, launch) {
    const { opened, stepper } = app;
    if (!opened?.passes) return toProblem();
    const { launches } = opened;
    const shown = shownPicture()?.buffer;
    const chosen = column === undefined ? null : [column, row];
    launch ??= stepper.state?.launch ?? launches.last();
    if (chosen && !(stepper.state && launches.runs(launch, chosen))) {
        launch = launches.last(({ outputs }) => outputs.includes(shown), ({ inputs }) => inputs.includes(shown));
    }
    view("step");
    const point = launches.nearest(launch, chosen);
    if (chosen || launches.of(launch).outputs.includes(shown)) describe(...point);
    return step({ point: [launch, ...point] });
}

/** Runs to an instruction of the program that is listed. */
export async function runTo(pc) {
    if (!app.opened?.programs) return;
    const program = app.opened.programs[Number($("programs").value)];
    if (!app.stepper.state || stepped() !== program) {
        await begin(undefined, undefined, app.opened.launches.last((pass) => pass.program === program.file));
    }
    await step({ pc: [pc, true] });
}

/** Ends stepping. */
export function leave() {
    const inside = $("step").contains(document.activeElement);
    app.stepper.show(null);
    if (inside) $("canvas").focus();
    app.listing.next(-1);
    markNext();
    markPoint();
}

/** Shows the value of another expression. */
export function watchAgain() {
    // A movement may have asked for it already.
    if ($("watch").value !== watched) step({ by: 0 });
}

/** To where the watched value changes. */
const toChange = (forward) => {
    watched = $("watch").value;
    const watch = watched.trim();
    return watch ? step({ change: [watch, forward] }) : $("watch").focus();
};

const moves = {
    first: () => step({ end: false }),
    back: () => step({ by: -1 }),
    forward: () => (app.stepper.state ? step({ by: 1 }) : begin()),
    last: () => step({ end: true }),
    earlier: () => toChange(false),
    later: () => toChange(true),
    colour: async () => {
        await step({ end: true });
        if (app.stepper.state) await app.stepper.colour();
    },
};

/** The names of the movements that have buttons. */
export const MOVES = Object.keys(moves);

/** Moves by the name of a button. */
export function runMove(name) {
    if (name === "forward" || app.stepper.state) moves[name]();
    else begin();
    return true;
}
