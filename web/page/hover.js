// What hovers over the source say.

import { number } from "./numbers.js";
import { labelOf, variableRows, words } from "./values.js";

const reference = new Map();

/** Reads the assembler's reference: the rows of its tables, by the first word of each. @param {string} text */
export function readReference(text) {
    for (const line of text.split("\n")) {
        const [, name, rest] = line.match(/^\| `([.@]?[\w]+)[^`]*` \| (.*) \|$/) ?? [];
        // Both units may do the same.
        const parts = name ? [...new Set(rest.replaceAll("`", "").split(" | "))] : [];
        if (name) reference.set(name.toLowerCase(), `${name}: ${parts.join("; ")}`);
    }
}

/** The most instructions of a line that a hover lists. */
const MOST = 12;

/** What there is to say about a word in a line of a file: its register, the instructions of the line, the operation,
 *  and its value at the point that is looked at.
 *  @param {string} word @param {number} line @param {string} path @param {any[]} programs those of `app.opened`
 *  @param {import("./step.js").Stepper} [stepper] if there is a point that is looked at @returns {string} */
export function explain(word, line, path, programs, stepper) {
    const parts = [];
    const assembly = /\.(dpp|asm)$/.test(path);
    for (const program of programs) {
        const named = program.names.find(({ name }) => name === word);
        if (named) parts.push(`${word}: ${named.what}`);
        const code = program.code.map((one, pc) => ({ ...one, pc }));
        const here = code.filter((one) => one.file === path && one.lines.includes(line));
        if (here.length > 0 && !assembly) {
            const shown = here.slice(0, MOST).map(({ pc, text }) => `${String(pc).padStart(3)}  ${text}`);
            if (here.length > MOST) shown.push(`and ${here.length - MOST} more`);
            parts.push(shown.join("\n"));
        }
    }
    if (assembly) parts.push(reference.get(word.toLowerCase()) ?? "");
    if (stepper) parts.push(valueOf(word, stepper));
    return parts.filter(Boolean).join("\n");
}

/** What there is to say about an instruction: its operations, and the values of its registers at the point that is
 *  looked at. @param {string} text @param {import("./step.js").Stepper} [stepper] @returns {string} */
export function explainInstruction(text, stepper) {
    const [operations] = text.split(" @");
    const names = operations.split(" | ").map((operation) => operation.trim().split(/[\s.]/)[0].toLowerCase());
    const registers = stepper ? (operations.match(/\b[ro]\d+\b/g) ?? []) : [];
    const parts = [...names.map((name) => reference.get(name)), ...registers.map((name) => valueOf(name, stepper))];
    return [...new Set(parts.filter(Boolean))].join("\n");
}

/** The values of a variable or a register. */
function valueOf(word, { state, before }) {
    const floats = (all) => [...new Float32Array(Uint32Array.from(all).buffer)].map(number).join(", ");
    const rows = variableRows(state, before).filter(({ name }) => name === word || name.startsWith(`${word}[`) || name.startsWith(`${word} in `));
    const named = rows.map(({ name, cells, note }) => {
        const values = cells.map(({ word }) => (word === undefined ? "-" : floats([word]))).join(", ");
        return `${name} = ${[values, note].filter(Boolean).join("   ")}`;
    });
    const n = state.registers.findIndex((name, n) => name === word || state.held[n] === word);
    const register = n < 0 ? [] : [`${labelOf(state, n, state.slot)} = ${floats(words(state, n, state.slot))}`];
    return [...named, ...register].join("\n");
}
