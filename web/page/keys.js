// The keys of the page. A pane with the focus has keys of its own.

const KEYS = [
    ["Alt+Right, Alt+Left", "step forward, step back"],
    ["Alt+Home, Alt+End", "start and end of the group"],
    ["Alt+Up, Alt+Down", "group before, next group"],
    ["Alt+P", "play, pause"],
    ["Alt+Z", "wrap long lines"],
    ["Ctrl+Enter", "find mistakes: check every point"],
    ["Alt+G", "run on this computer's GPU"],
    ["Ctrl+S", "copy a link"],
    ["Escape", "pause; stop what is running; leave the stepper"],
    ["Alt+1 to Alt+5", "source, instructions, step, picture, values"],
    ["Arrows, Enter on the picture", "choose a point, step through it (Shift: eight at a time)"],
    ["Click on the picture", "step through the point; a drag moves the shader's mouse (iMouse)"],
    ["Enter on an instruction", "run to it"],
    ["Enter on a line of \"Why this colour?\"", "go to its instruction, or to the register that it reads"],
    ["Arrows on a border", "move it (double click: back to the start)"],
    ["F1", "this list"],
    ["The browser's way back", "what you wrote before you chose another example"],
];

const MOVES = { ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last" };
const PANES = { 1: "source", 2: "code", 3: "step", 4: "picture", 5: "form" };

/** What a key does, as a function; none if it does nothing. `does`: `move(name)`, `group(by)`, `focus(pane)`, `gpu`, `play`, `wrap`,
 *  `check`, `share`, `help`. */
function action({ key, code, altKey, ctrlKey, metaKey }, does) {
    if (altKey && !ctrlKey) {
        if (MOVES[key]) return () => does.move(MOVES[key]);
        if (key === "ArrowDown" || key === "ArrowUp") return () => does.group(key === "ArrowDown" ? 1 : -1);
        if (code === "KeyG") return does.gpu;
        if (code === "KeyP") return does.play;
        if (code === "KeyZ") return does.wrap;
        if (PANES[key]) return () => does.focus(PANES[key]);
    }
    if ((ctrlKey || metaKey) && key === "Enter") return does.check;
    if ((ctrlKey || metaKey) && key === "s") return does.share;
    if (key === "F1") return does.help;
}

/** Listens to keys; `does` has `leave` for Escape, too. */
export function listen(does) {
    const pressed = (event) => {
        if (document.querySelector("dialog[open]")) return;
        const found = action(event, does);
        if (found) {
            event.preventDefault();
            event.stopPropagation();
            found();
        } else if (event.key === "Escape" && !event.target.closest?.(".cm-panel")) {
            does.leave();
        }
    };
    document.addEventListener("keydown", pressed, { capture: true });
}

/** Lists the keys in a table. */
export function showKeys(table) {
    const rows = KEYS.map((row) => {
        const line = document.createElement("tr");
        line.append(...row.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
        return line;
    });
    table.append(...rows);
}
