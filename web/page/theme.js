// Light, dark, or what the system says. It is kept where the browser has storage for the page.

const THEMES = ["auto", "light", "dark"];
const KEY = "ctm-theme";

function set(button, name) {
    const title = `Theme: ${name}`;
    document.documentElement.dataset.theme = name;
    Object.assign(button, { title, ariaLabel: title });
}

/** Shows the theme that was chosen before; the button goes through all of them. */
export function themes(button) {
    let kept = null;
    try {
        kept = localStorage.getItem(KEY);
    } catch {
        // A page from disk may have no storage.
    }
    set(button, THEMES.includes(kept) ? kept : "auto");
    button.addEventListener("click", () => {
        const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
        set(button, next);
        try {
            localStorage.setItem(KEY, next);
        } catch {
            // As above.
        }
    });
}
