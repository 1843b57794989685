// The rows of values in the stepper: variables of the source, and registers.

import { element, floatOf, number } from "./numbers.js";

const LETTERS = ["r", "g", "b", "a"];
/** The most rows of a variable: four components are in each. */
const ROWS = 4;

/**
 * The state of a group, as web/src/step.rs gives it; `lanes` are the words of its blocks.
 * @typedef {{ name: string, expression: string | null, components: [suffix: string, held: boolean][], places: string, block: number }} Variable
 * @typedef {{ slot: number, signs: string, registers: string[], held: string[], ranges: string[], variables: Variable[], lanes: Uint32Array,
 *     watched: { components: number, block: number, missing: string | null } | null, end: string | null }} State
 *
 * A value: its word, its name for the module, and whether the last step changed it. Without a word it is optimised away.
 * @typedef {{ word?: number, why?: string, changed?: boolean }} Cell
 * @typedef {{ name: string, cells: Cell[], note?: string }} Row
 */

/** The words of a block for a slot. @param {State} state @param {number} block @param {number} slot @returns {Uint32Array} */
export const words = ({ lanes }, block, slot) => lanes.subarray(256 * block + 4 * slot, 256 * block + 4 * slot + 4);

/** Whether the point of a slot runs the next instruction. @param {State} state @param {number} slot @returns {boolean} */
const runs = (state, slot) => state.signs[slot] === "#" && !state.end;

/** The name of a register, with what it holds for a point. @param {State} state @param {number} n @param {number} slot */
export function labelOf(state, n, slot) {
    // What other points hold there is not known; outputs, and temporaries without variables, have names that stay.
    const known = runs(state, slot) || state.variables.length === 0 || !state.registers[n].startsWith("r");
    return known && state.held[n] ? `${state.registers[n]} ${state.held[n]}` : state.registers[n];
}

/** The word of a variable's component. @param {State} state @param {Variable} variable @param {number} n */
const wordOf = (state, { block }, n, slot) => words(state, block + (n >> 2), slot)[n % 4];

/**
 * The rows of the variables for the point that is looked at. @param {State} state @param {State | null} before the state
 * before the last step @returns {Row[]}
 */
export function variableRows(state, before) {
    const { slot } = state;
    if (!runs(state, slot)) return [];
    return state.variables.flatMap((variable) => {
        const { name, expression, components, places } = variable;
        const old = before?.variables.find((one) => one.name === name);
        const cells = components.map(([suffix, held], n) => {
            if (!held) return {};
            const word = wordOf(state, variable, n, slot);
            const changed = Boolean(before) && !(old?.components[n]?.[1] && wordOf(before, old, n, slot) === word);
            return { word, why: expression === null ? undefined : `${expression}${suffix}`, changed };
        });
        if (cells.every(({ word }) => word === undefined)) return [{ name, cells: [], note: places }];
        const starts = Array.from({ length: Math.min(Math.ceil(cells.length / 4), ROWS) }, (_, n) => 4 * n);
        return starts.map((start) => ({
            name: cells.length > 4 ? `${name}${components[start][0]}` : name,
            cells: cells.slice(start, start + 4),
            note: start === 0 ? places : "",
        }));
    });
}

/** The rows of the registers. @param {State} state @param {State | null} before @returns {Row[]} */
export function registerRows(state, before) {
    const { slot } = state;
    return state.registers.map((register, n) => {
        const old = before?.registers.indexOf(register) ?? -1;
        const oldWords = before && old >= 0 ? words(before, old, slot) : null;
        const cells = [...words(state, n, slot)].map((word, channel) => ({
            word,
            // The source may have a variable of the register's name.
            why: `$${register}.${LETTERS[channel]}`,
            changed: before !== null && (oldWords ? oldWords[channel] !== word : word !== 0),
        }));
        return { name: labelOf(state, n, slot), cells, note: runs(state, slot) ? state.ranges[n] : "" };
    });
}

/** The value that is watched at the point that is looked at, as text. @param {State} state @returns {string} */
export function watchedText({ watched, slot, lanes }) {
    if (!watched) return "";
    if (watched.missing !== null) return watched.missing;
    const at = (n) => lanes[256 * (watched.block + (n >> 2)) + 4 * slot + (n % 4)];
    return Array.from({ length: watched.components }, (_, n) => number(floatOf(at(n)))).join(", ");
}

/**
 * What the grid can show, by a key that stays while the group steps.
 * @param {State} state @returns {{ key: string, text: string, block: number }[]}
 */
export function choices(state) {
    const registers = state.registers.map((key, block) => ({ key, text: labelOf(state, block, state.slot), block }));
    const held = state.variables.filter(({ components }) => components.some(([, held]) => held));
    const variables = held.map(({ name, block }) => ({ key: `variable ${name}`, text: name, block }));
    const { watched } = state;
    const own = watched && watched.components > 0 ? [{ key: "watched", text: "what is watched", block: watched.block }] : [];
    return [...own, ...variables, ...registers];
}

/** A row of the table. @param {Row} row @param {(why: string) => void} ask is called for a value that is pressed */
function tableRow({ name, cells, note = "" }, ask) {
    const row = element("tr");
    row.append(element("th", name, { scope: "row", title: name }));
    for (const { word, why, changed } of cells) {
        const cell = element("td");
        if (changed) cell.className = "changed";
        if (word === undefined) {
            cell.textContent = "-";
            cell.title = "optimised away";
        } else {
            const value = floatOf(word);
            const exact = `${value} (${word.toString(16).padStart(8, "0")})`;
            const button = element("button", number(value), { title: why ? `${exact}: where did it come from?` : exact });
            if (why) {
                button.dataset.of = why;
                button.addEventListener("click", () => ask(why));
            }
            cell.append(button);
        }
        row.append(cell);
    }
    if (note) {
        const rest = element("td", note, { class: "note", title: note });
        rest.setAttribute("colspan", String(5 - cells.length));
        if (cells.length > 0 && cells.length < 4) row.append(...Array.from({ length: 4 - cells.length }, () => element("td")));
        if (cells.length > 0) rest.removeAttribute("colspan");
        row.append(rest);
    }
    return row;
}

/**
 * Shows rows in the table: variables above, registers below.
 * @param {HTMLTableElement} table @param {Row[]} variables @param {Row[]} registers @param {(why: string) => void} ask
 */
export function showRows(table, variables, registers, ask) {
    const head = (letters) => {
        const row = element("tr");
        row.append(element("td"), ...letters.map((letter) => element("th", letter, { scope: "col" })));
        return row;
    };
    const [named, held] = table.tBodies;
    // The buttons are new; the focus stays at its value.
    const active = /** @type {HTMLElement} */ (document.activeElement);
    const { of } = table.contains(active) ? active.dataset : {};
    named.replaceChildren(...(variables.length > 0 ? [head(["x", "y", "z", "w"])] : []), ...variables.map((row) => tableRow(row, ask)));
    held.replaceChildren(head(LETTERS), ...registers.map((row) => tableRow(row, ask)));
    if (of) /** @type {HTMLElement} */ (table.querySelector(`[data-of="${CSS.escape(of)}"]`))?.focus();
}
