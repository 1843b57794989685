// Borders between panes, to drag or to move with arrow keys. Where they are is kept.

import { $, app, keep, kept } from "./app.js";

const KEY = "ctm-panes";
/** The least width and height of a pane, and how far a key moves a border. */
const LEAST = [200, 110];
const KEYS = { ArrowLeft: -24, ArrowUp: -24, ArrowRight: 24, ArrowDown: 24 };
const COLUMNS = ["source", "code", "picture"];

/** The sizes of the panes by the names of their properties. @type {Record<string, string>} */
let sizes = {};

function apply() {
    for (const name of [...COLUMNS, "step"]) {
        if (name in sizes) document.body.style.setProperty(`--${name}`, sizes[name]);
        else document.body.style.removeProperty(`--${name}`);
    }
    const box = $("code").getBoundingClientRect();
    const parts = { "before-code": box.left / innerWidth, "before-picture": box.right / innerWidth, "before-step": box.bottom / innerHeight };
    for (const [id, part] of Object.entries(parts)) $(id).setAttribute("aria-valuenow", Math.round(100 * part));
    app.editor.view.requestMeasure();
}

/** Moves the border after a column. @param {number} n @param {number} by */
function moveColumn(n, by) {
    const widths = COLUMNS.map((name) => $(name).getBoundingClientRect().width);
    const move = Math.max(LEAST[0] - widths[n], Math.min(by, widths[n + 1] - LEAST[0]));
    widths[n] += move;
    widths[n + 1] -= move;
    COLUMNS.forEach((name, at) => (sizes[name] = `${Math.round(widths[at])}fr`));
}

/** Moves the border above the steps. @param {number} by */
function moveStep(by) {
    const [step, code] = ["step", "code"].map((name) => $(name).getBoundingClientRect().height);
    const move = Math.max(LEAST[1] - code, Math.min(-by, code - LEAST[1]));
    sizes.step = `${Math.round(Math.max(LEAST[1], step + move))}px`;
}

/** Makes an element a border. `move(by)` moves the border by a number of pixels. */
function border(element, side, move) {
    const done = () => {
        apply();
        keep(KEY, JSON.stringify(sizes));
    };
    element.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        element.setPointerCapture(event.pointerId);
        let at = event[side];
        element.onpointermove = (moved) => {
            move(moved[side] - at);
            at = moved[side];
            apply();
        };
    });
    for (const name of ["pointerup", "pointercancel"]) {
        element.addEventListener(name, () => {
            if (element.onpointermove) done();
            element.onpointermove = null;
        });
    }
    element.addEventListener("keydown", ({ key, altKey }) => {
        if (altKey || !(key in KEYS)) return;
        move(KEYS[key]);
        done();
    });
    element.addEventListener("dblclick", () => {
        sizes = {};
        done();
    });
}

/** Restores the borders of the last visit, and lets them move. */
export function splits() {
    try {
        sizes = JSON.parse(kept(KEY)) ?? {};
    } catch {
        // It is not from this page.
    }
    COLUMNS.slice(1).forEach((name, n) => border($(`before-${name}`), "clientX", (by) => moveColumn(n, by)));
    border($("before-step"), "clientY", moveStep);
    apply();
}
