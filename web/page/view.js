// Which pane a narrow screen shows, and where the focus is.

import { $, app } from "./app.js";
import { tab } from "./form.js";

/** Shows a pane. @param {string} name */
export function view(name) {
    document.body.dataset.view = name;
    // Both are in one pane.
    if (name === "code" || name === "form") tab(name);
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("nav button"))) {
        button.setAttribute("aria-pressed", String(button.dataset.view === name));
    }
}

/** Shows a pane, and puts the focus there. @param {string} name */
export function focus(name) {
    view(name);
    if (name === "source") app.editor.view.focus();
    else $({ code: "listing", form: "tab-form", step: "forward", picture: "canvas" }[name]).focus();
}

/** Leads to what keeps the document from running. */
export function toProblem() {
    $("problems").querySelector(".error button")?.focus();
}
