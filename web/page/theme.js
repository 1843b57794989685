// Light, dark, or what the system says. It is kept where the browser has storage for the page.

import { keep, kept } from "./app.js";

const THEMES = ["auto", "light", "dark"];
const KEY = "ctm-theme";

function set(button, name) {
    const title = `Theme: ${name}`;
    document.documentElement.dataset.theme = name;
    Object.assign(button, { title, ariaLabel: title });
}

/** Shows the theme that was chosen before; the button goes through all of them. */
export function themes(button) {
    const name = kept(KEY);
    set(button, THEMES.includes(name) ? name : "auto");
    button.addEventListener("click", () => {
        const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
        set(button, next);
        keep(KEY, next);
    });
}
