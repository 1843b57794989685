// The stepper: the state of a group of 64 points, as the module gives it.

import { element, number } from "./numbers.js";
import { choices, registerRows, showRows, variableRows, watchedText, words } from "./values.js";

const LETTERS = ["r", "g", "b", "a"];
const SIGNS = {
    "#": ["active", "runs"],
    ".": ["waits", "waits in a branch"],
    "-": ["left", "left the loop or its iteration"],
    x: ["killed", "killed"],
    " ": ["none", "does not run"],
};

const byte = (value) => (value > 0 ? Math.min(255, Math.round(255 * value)) : 0);

/** The values that are black and white: 0 and 1, unless the values need others. */
function range(values) {
    const finite = values.filter(Number.isFinite);
    const [low, high] = [Math.min(...finite), Math.max(...finite)];
    const fits = low >= 0 && high <= 1 && high - low >= 0.25;
    return fits || !(high > low) ? [0, 1] : [low, high];
}

export class Stepper {
    /** `parts`: the elements of the page by id. `look(point)` is called when another point is looked at, `go(step)` goes
     *  to a step of the group, `why(slot, value)` asks where a value came from: for lines with their places. */
    constructor(parts, { look, go, why }) {
        this.parts = parts;
        this.look = look;
        this.go = go;
        this.why = why;
        this.leads = false;
        this.state = null;
        this.watched = "";
        this.cells = [];
        parts.watched.addEventListener("change", () => {
            this.watched = parts.watched.value;
            this.follows = this.watched === "";
            this.paint();
        });
        parts.grid.addEventListener("click", (event) => this.select(this.cells.indexOf(event.target)));
        parts.grid.addEventListener("keydown", (event) => this.key(event));
        this.follows = true;
        this.upward = false;
    }

    key(event) {
        const width = this.state?.width ?? 8;
        const down = this.upward ? -width : width;
        const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -down, ArrowDown: down }[event.key];
        if (!by || event.altKey) return;
        event.preventDefault();
        this.select(this.state.slot + by);
        this.cells[this.state.slot].focus();
    }

    /** Row 0 is at the bottom, or at the top, as in the picture. */
    turn(upward) {
        this.upward = upward;
        if (this.state) this.points();
    }

    select(slot) {
        if (!this.state || slot < 0 || slot > 63 || this.state.signs[slot] === " ") return;
        this.state.slot = slot;
        this.parts.why.hidden = true;
        this.paint();
        this.look(this.state.points[slot]);
    }

    /** Shows a state; `null`: none. `chosen`: its point was chosen just now. */
    show(state, chosen = false) {
        const before = this.state;
        if (state) {
            const bytes = state.blob(state.lanes);
            state.lanes = new Uint32Array(bytes.buffer, 0, bytes.length / 4);
            const near = before && before.launch === state.launch && before.group === state.group;
            // A point that is looked at stays so while the group steps.
            if (near && !chosen && state.signs[before.slot] !== " ") state.slot = before.slot;
            this.before = near ? before : null;
        }
        this.state = state;
        if (!this.leads) this.parts.why.hidden = true;
        this.parts.stepping.hidden = !state;
        this.parts.invite.hidden = Boolean(state);
        this.parts.leave.hidden = !state;
        this.parts.colour.hidden = !state;
        this.parts.where.textContent = "";
        if (state) this.paint();
    }

    /** Registers that changed since the last state, for any point. */
    changed() {
        const { state, before } = this;
        if (!before) return [];
        return state.registers.filter((name, n) => {
            const old = before.registers.indexOf(name);
            const now = state.lanes.subarray(256 * n, 256 * n + 256);
            if (old < 0) return true;
            return before.lanes.subarray(256 * old, 256 * old + 256).some((word, at) => word !== now[at]);
        });
    }

    paint() {
        const { state } = this;
        const changed = this.changed();
        const last = changed.at(-1);
        if (this.follows) {
            if (last) this.shown = last;
            if (!state.registers.includes(this.shown)) this.shown = state.registers.at(-1);
        } else {
            this.shown = this.watched;
        }
        this.header();
        this.choices();
        this.points();
        this.values();
    }

    header() {
        const { state, parts } = this;
        const of = state.steps === null ? "" : ` of ${state.steps}`;
        const [i, j] = state.points[state.slot];
        parts.where.textContent = `step ${state.step}${of} · group ${state.group + 1} of ${state.groups} · point (${i}, ${j})`;
        parts.slider.max = state.steps ?? state.step;
        parts.slider.value = state.step;
        parts.slider.disabled = state.steps === null;
        parts.launches.hidden = state.launches === 1;
        parts.launch.max = state.launches - 1;
        if (document.activeElement !== parts.launch) parts.launch.value = state.launch;
    }

    choices() {
        const { parts } = this;
        const all = choices(this.state);
        this.choice = all.find(({ key }) => key === this.shown);
        if (!this.choice && !this.follows) all.push({ key: this.shown, text: `${this.shown}: no value here`, block: -1 });
        const options = [{ key: "", text: this.follows ? `last written: ${this.choice?.text ?? "none"}` : "last written" }, ...all];
        const made = options.map(({ key, text }) => element("option", text, { value: key }));
        // A list that is open stays open.
        if (parts.watched.innerText !== options.map(({ text }) => text).join("\n")) parts.watched.replaceChildren(...made);
        parts.watched.value = this.follows ? "" : this.watched;
    }

    points() {
        const { state, parts } = this;
        // A variable may have no value here.
        const block = this.choice?.block ?? -1;
        if (this.cells.length === 0) {
            this.cells = Array.from({ length: 64 }, () => element("button", "", { role: "radio" }));
            parts.grid.replaceChildren(...this.cells);
        }
        // Columns and rows without a point take no room.
        const place = (slot) => [slot % state.width, Math.floor(slot / state.width)];
        const used = [...state.signs].flatMap((sign, slot) => (sign === " " ? [] : [place(slot)]));
        const [columns, rows] = [0, 1].map((n) => new Set(used.map((at) => at[n])));
        parts.grid.style.setProperty("--columns", columns.size);
        const seen = new Set();
        const colours = [...state.signs].flatMap((sign, slot) => {
            if (sign === " " || block < 0) return [];
            return [...new Float32Array(words(state, block, slot).slice(0, 3).buffer)];
        });
        const [low, high] = range(colours);
        this.cells.forEach((cell, slot) => {
            const [kind, meaning] = SIGNS[state.signs[slot]];
            seen.add(kind);
            const own = block < 0 ? new Uint32Array(4) : words(state, block, slot);
            const values = [...new Float32Array(own.slice().buffer)];
            const [column, row] = place(slot);
            cell.hidden = !columns.has(column) || !rows.has(row);
            cell.style.order = this.upward ? (63 - row) * state.width + column : slot;
            cell.className = kind;
            cell.classList.toggle("selected", slot === state.slot);
            cell.setAttribute("aria-checked", String(slot === state.slot));
            cell.tabIndex = slot === state.slot ? 0 : -1;
            const colour = kind === "none" ? "" : `rgb(${values.slice(0, 3).map((value) => byte((value - low) / (high - low))).join(" ")})`;
            cell.style.setProperty("--value", colour);
            const text = block < 0 ? "" : `\n${this.choice.text} = ${values.map(number).join(", ")}`;
            const label = `point (${state.points[slot].join(", ")}) ${meaning}${text}`;
            cell.title = label;
            cell.setAttribute("aria-label", label);
        });
        const active = [...state.signs].filter((sign) => sign === "#").length;
        const others = Object.values(SIGNS).filter(([kind]) => seen.has(kind) && !["active", "none"].includes(kind));
        const scale = low === 0 && high === 1 ? [] : [`black ${number(low)}, white ${number(high)}`];
        parts.legend.textContent = [...scale, `${active} run`, ...others.map(([kind, meaning]) => {
            const count = [...state.signs].filter((sign) => SIGNS[sign][0] === kind).length;
            return `${count} ${meaning}`;
        })].join(" · ");
    }

    values() {
        const { state, parts } = this;
        const { slot } = state;
        const ask = (value) => this.ask(slot, value);
        showRows(parts.registers, variableRows(state, this.before), registerRows(state, this.before), ask);
        parts.watchvalue.textContent = watchedText(state);
        const flags = state.flags[slot];
        const bits = LETTERS.filter((_, n) => (flags >> n) & 1).join("") || "none";
        const stacks = state.stacks.startsWith("no call") ? "" : `\n${state.stacks.trim()}`;
        parts.flags.textContent = `predicate ${bits} · ALU result ${(flags >> 4) & 1} · aL ${state.al}${stacks}`;
    }

    /** Shows where the colour of the point came from. */
    async colour() {
        const { state } = this;
        const outputs = state.registers.filter((name) => name.startsWith("o")).slice(0, 1);
        const lines = outputs.length > 0 ? [] : [{ text: "the point wrote no output" }];
        for (const letter of outputs.length > 0 ? LETTERS.slice(0, 3) : []) lines.push(...(await this.why(state.slot, `$${outputs[0]}.${letter}`)));
        this.tell(lines);
    }

    async ask(slot, value) {
        this.tell(await this.why(slot, value));
    }

    /** Shows lines; those with a place lead to it. */
    tell(lines) {
        const { why } = this.parts;
        const shown = lines.map((line) => {
            const leads = line.step !== undefined && line.step !== null;
            const made = element(leads ? "button" : "p", line.text);
            made.style.setProperty("--depth", line.depth ?? 0);
            made.classList.toggle("root", !line.depth);
            if (leads) made.addEventListener("click", () => this.lead(line, made));
            return made;
        });
        why.replaceChildren(...shown);
        why.hidden = false;
        why.scrollTo(0, 0);
        why.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    /** Goes to the instruction of a line, which stays shown, and to the register that it reads. */
    async lead({ slot, step, register }, line) {
        for (const one of this.parts.why.children) one.toggleAttribute("aria-current", one === line);
        this.state.slot = slot;
        this.leads = true;
        await this.go(step);
        this.leads = false;
        if (register) this.parts.registers.querySelector(`[data-of="$${register}"]`)?.focus();
    }
}
