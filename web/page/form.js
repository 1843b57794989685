// The form of a job: every value, size, input and output by its name. What it changes is the text of the job file.

import { $, app } from "./app.js";
import { number } from "./numbers.js";

/** A name of a value that is a colour. */
const COLOUR = /colou?r|tint/i;
const TYPES = { float: "vec", int: "ivec", bool: "bvec" };

/** The type of a value in words. @param {import("./app.js").Value} value */
function typeOf({ kind, columns, rows }) {
    if (columns > 1) return `mat${columns}${columns === rows ? "" : `x${rows}`}`;
    return rows > 1 ? `${TYPES[kind]}${rows}` : kind;
}

function made(name, properties = {}, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
}

const hex = (part) => Math.round(255 * Math.max(0, Math.min(1, part))).toString(16).padStart(2, "0");

export class Form {
    /** `root`: the element of the form. `does`: `preview(value)` shows a value that is not yet kept, `change(change)`
     *  keeps one, `choose(surface)` asks for a file, `dropped(surface, files)` takes files, `save(picture, kind)` saves. */
    constructor(root, does) {
        this.root = root;
        this.does = does;
    }

    /** Shows a form as the module gives it. @param {boolean} isJob whether there is a job file */
    show(form, isJob) {
        // What is being changed keeps its place.
        const active = /** @type {HTMLElement} */ (document.activeElement);
        const focused = this.root.contains(active) ? active.dataset.of : null;
        const parts = [];
        if (!isJob) {
            const text = "There is no job file yet: values are chosen by name and type, arrays are noise from seed 1. Change one of them, and a job file is made.";
            parts.push(made("p", { textContent: text }));
        }
        if (form.size) parts.push(this.size(form.size));
        else if (form.size_of) parts.push(made("p", { textContent: `The size is that of ${form.size_of}: another file below brings another size.` }));
        const values = form.values.map((value, n) => this.value(value, form.given[n], isJob));
        if (values.length > 0) parts.push(made("h2", { textContent: "Values" }), ...values);
        const surfaces = form.surfaces.map((surface, n) => this.surface(surface, n, isJob));
        if (surfaces.length > 0) parts.push(made("h2", { textContent: "Arrays and pictures" }), ...surfaces);
        this.root.replaceChildren(...parts);
        if (focused) this.root.querySelector(`[data-of="${CSS.escape(focused)}"]`)?.focus();
    }

    size([width, height]) {
        const inputs = [width, height].map((size, n) => {
            const label = n === 0 ? "Columns" : "Rows";
            const input = made("input", { type: "number", min: "1", max: "4096", value: size, title: label, ariaLabel: label });
            input.dataset.of = label;
            input.addEventListener("change", () => {
                const [columns, rows] = inputs.map((one) => Math.max(1, Math.min(4096, Math.trunc(Number(one.value)) || 1)));
                this.does.change({ size: { width: columns, height: rows } });
            });
            return input;
        });
        return made("div", { className: "row" }, made("b", { textContent: "Size" }), inputs[0], "×", inputs[1]);
    }

    value(value, given, isJob) {
        const { name, pass, kind, rows, columns, of } = value;
        const numbers = value.numbers.map((one) => one ?? 0);
        const from = given ? "" : value.by_source ? " · from the source" : isJob ? " · nothing sets it: 0" : " · chosen by the page";
        const legend = made("legend", {}, made("b", { textContent: name }), made("small", { textContent: ` ${of === "constant" ? "constant, " : ""}${typeOf(value)}${from}` }));
        const row = made("fieldset", {}, legend);
        const keep = () => this.does.change({ value: { pass, name, numbers } });
        const show = () => this.does.preview({ pass, name, numbers });
        const fields = numbers.map((_, n) => this.number(`${name} ${n}`, kind, numbers, n, show, keep));
        const draw = () => fields.forEach((field) => field.draw());
        if (COLOUR.test(name) && rows >= 3 && columns === 1) {
            const colour = made("input", { type: "color", ariaLabel: `${name} as a colour` });
            colour.value = `#${numbers.slice(0, 3).map(hex).join("")}`;
            colour.addEventListener("input", () => {
                for (const n of [0, 1, 2]) numbers[n] = parseInt(colour.value.slice(1 + 2 * n, 3 + 2 * n), 16) / 255;
                draw();
                show();
            });
            colour.addEventListener("change", keep);
            row.append(colour);
        }
        row.append(...fields.map((field) => field.element));
        return row;
    }

    /** A number of a value: a check box, or a field with a slider. */
    number(of, kind, numbers, n, show, keep) {
        const label = { ariaLabel: numbers.length > 1 ? of : of.split(" ")[0] };
        if (kind === "bool") {
            const box = made("input", { type: "checkbox", checked: numbers[n] !== 0, ...label });
            box.dataset.of = of;
            box.addEventListener("change", () => {
                numbers[n] = Number(box.checked);
                keep();
            });
            return { element: box, draw() {} };
        }
        const step = kind === "int" ? "1" : "any";
        const field = made("input", { type: "number", step, ...label });
        field.dataset.of = of;
        const at = numbers[n];
        const [low, high] = [at < 0 ? 2 * at : 0, kind === "int" ? Math.max(10, 2 * at) : at > 1 ? 2 * at : 1];
        const slider = made("input", { type: "range", min: low, max: high, step: kind === "int" ? "1" : (high - low) / 500, ariaLabel: `${label.ariaLabel}, slider` });
        slider.dataset.of = `${of} slider`;
        const draw = () => {
            field.value = number(numbers[n]);
            slider.value = numbers[n];
        };
        draw();
        slider.addEventListener("input", () => {
            numbers[n] = Number(slider.value);
            field.value = number(numbers[n]);
            show();
        });
        field.addEventListener("input", () => {
            if (field.value === "" || !Number.isFinite(Number(field.value))) return;
            numbers[n] = Number(field.value);
            slider.value = numbers[n];
            show();
        });
        for (const one of [slider, field]) one.addEventListener("change", keep);
        return { element: made("span", { className: "number" }, slider, field), draw };
    }

    surface(surface, n, isJob) {
        const { name, role, format, width, height, file, content, filter, picture } = surface;
        const holds = { seed: isJob ? "" : "noise from seed 1", fill: "the same everywhere", zero: role === "output" ? "" : "zeros" }[content];
        const said = [role, format, `${width} × ${height}`, file ?? holds].filter(Boolean).join(" · ");
        const row = made("div", { className: "row surface" }, made("b", { textContent: name }), made("small", { textContent: said }));
        const button = (text, does) => {
            const one = made("button", { textContent: text, ariaLabel: `${text}: ${name}` });
            one.dataset.of = `${text} ${n}`;
            one.addEventListener("click", does);
            row.append(one);
        };
        if (role !== "output" && role !== "condition") {
            button("Choose a file", () => this.does.choose(n));
            row.addEventListener("dragover", (event) => event.preventDefault());
            row.addEventListener("drop", (event) => {
                event.preventDefault();
                event.stopPropagation();
                this.does.dropped(n, event.dataTransfer);
            });
        }
        if (filter) {
            const list = made("select", { ariaLabel: `Filter of ${name}` }, new Option("nearest", "nearest"), new Option("linear", "linear"));
            list.value = filter;
            list.dataset.of = `filter ${n}`;
            list.addEventListener("change", () => this.does.change({ filter: { surface: n, filter: list.value } }));
            row.append(list);
        }
        if (picture !== null) {
            button("Save .npy", () => this.does.save(picture, "npy"));
            button("Save .png", () => this.does.save(picture, "png"));
        }
        return row;
    }
}

/** Shows the instructions or the form in their pane. @param {"code" | "form"} name */
export function tab(name) {
    for (const one of ["code", "form"]) $(`tab-${one}`).setAttribute("aria-selected", String(one === name));
    $("listing").hidden = name !== "code";
    $("form").hidden = name !== "form";
    for (const one of ["programs", "size"]) $(one).classList.toggle("away", name !== "code");
    if (name === "form" && app.opened?.form) app.form.show(app.opened.form, app.doc.main.endsWith(".toml"));
}
