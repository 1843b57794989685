// What the job expects: the verdict on each run, and the picture to reach.

import { $, app } from "./app.js";
import { paint } from "./picture.js";

/** Shows the verdict on the last run. */
export function showGoal() {
    const { ran, opened } = app;
    const wrong = ran.checks.filter(({ passed }) => !passed);
    $("goal").hidden = ran.checks.length === 0;
    $("goal").classList.toggle("reached", wrong.length === 0);
    $("task").textContent = opened.about;
    $("verdict").textContent = wrong.length === 0 ? "This is what is expected." : `Not yet: ${wrong.map(({ text }) => text).join("; ")}`;
    const [target] = ran.expected;
    $("target").hidden = !target;
    if (target) paint($("target"), target, ran.blob(target.pixels));
}
