// The editor: CodeMirror with the problems, the instructions of each line and what hovers say.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
    closeHoverTooltips,
    Decoration,
    drawSelection,
    EditorView,
    gutter,
    GutterMarker,
    highlightActiveLine,
    highlightActiveLineGutter,
    hoverTooltip,
    keymap,
    lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { language } from "./language.js";

const colours = HighlightStyle.define([
    { tag: [tags.keyword, tags.operatorKeyword], color: "var(--keyword)" },
    { tag: [tags.comment, tags.lineComment], color: "var(--comment)", fontStyle: "italic" },
    { tag: [tags.number, tags.atom, tags.bool], color: "var(--number)" },
    { tag: [tags.string], color: "var(--string)" },
    { tag: [tags.meta, tags.labelName, tags.propertyName], color: "var(--meta)" },
    { tag: [tags.typeName, tags.standard(tags.variableName), tags.special(tags.variableName)], color: "var(--register)" },
]);

class Count extends GutterMarker {
    constructor(count) {
        super();
        this.count = count;
    }
    eq(other) {
        return this.count === other.count;
    }
    toDOM() {
        const element = document.createElement("span");
        element.textContent = this.count;
        element.title = `${this.count} instruction${this.count === 1 ? "" : "s"}`;
        return element;
    }
}

/** Instructions of each line, and the line that runs next. */
/** @type {import("@codemirror/state").StateEffectType<{ counts?: Map<number, number>, next?: number }>} */
const setCode = StateEffect.define();
const code = StateField.define({
    create: () => ({ counts: new Map(), next: 0 }),
    update: (value, transaction) => {
        for (const effect of transaction.effects) if (effect.is(setCode)) return { ...value, ...effect.value };
        return value;
    },
    provide: (field) =>
        EditorView.decorations.compute([field, "doc"], (state) => {
            const { next } = state.field(field);
            if (next < 1 || next > state.doc.lines) return Decoration.none;
            return Decoration.set(Decoration.line({ class: "next-line" }).range(state.doc.line(next).from));
        }),
});

const counts = gutter({
    class: "counts",
    lineMarker: (view, line) => {
        const count = view.state.field(code).counts.get(view.state.doc.lineAt(line.from).number);
        return count ? new Count(count) : null;
    },
    lineMarkerChange: (update) => update.transactions.some((one) => one.effects.some((effect) => effect.is(setCode))),
    initialSpacer: () => new Count("99"),
});

/** The range of a problem in a document. */
function range(doc, { line, column, width }) {
    if (line < 1) return { from: 0, to: 0 };
    const { from, to, text } = doc.line(Math.min(line, doc.lines));
    if (column < 1) return { from: from + text.search(/\S|$/), to };
    // Columns count characters, CodeMirror counts UTF-16 units.
    const units = (count) => [...text].slice(0, count).join("").length;
    const start = from + units(column - 1);
    if (width > 0) return { from: Math.min(start, to), to: Math.min(from + units(column - 1 + width), to) };
    return { from: Math.min(start, to), to };
}

export class Editor {
    /** `changed(text)`, `moved(line)` are called; `explain(word, line)` gives what a hover says. */
    constructor(parent, { changed, moved, explain }) {
        this.wrapping = new Compartment();
        /** Whether long lines wrap. */
        this.wraps = false;
        this.states = new Map();
        this.path = "";
        const hover = hoverTooltip((view, pos) => {
            const line = view.state.doc.lineAt(pos);
            const at = pos - line.from;
            const word = [...line.text.matchAll(/[.@]?[\w]+/g)].find(
                (match) => match.index <= at && at <= match.index + match[0].length,
            );
            if (!word) return null;
            const text = explain(word[0], line.number);
            // On a touch screen a hover comes with each tap, and would hide the lines above.
            if (!text || matchMedia("(hover: none)").matches) return null;
            const dom = document.createElement("div");
            dom.className = "hover";
            dom.textContent = text;
            const start = line.from + word.index;
            return { pos: start, end: start + word[0].length, above: true, create: () => ({ dom }) };
        }, { hideOnChange: true });
        const close = (view) => {
            view.dispatch({ effects: closeHoverTooltips });
            return false;
        };
        this.extensions = [
            lintGutter(),
            lineNumbers(),
            counts,
            code,
            history(),
            drawSelection(),
            indentOnInput(),
            bracketMatching(),
            highlightActiveLine(),
            highlightActiveLineGutter(),
            highlightSelectionMatches(),
            syntaxHighlighting(colours),
            hover,
            keymap.of([{ key: "Escape", run: close }, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap]),
            EditorView.contentAttributes.of({ "aria-label": "Source", tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
            EditorView.updateListener.of((update) => {
                if (update.docChanged) changed(update.state.doc.toString());
                else if (update.selectionSet) moved(this.line);
            }),
        ];
        this.view = new EditorView({ parent });
    }

    /** Wraps long lines, or no longer. @param {boolean} on */
    wrap(on) {
        this.wraps = on;
        this.view.dispatch({ effects: this.wrapping.reconfigure(this.wrapped) });
    }

    get wrapped() {
        return this.wraps ? EditorView.lineWrapping : [];
    }

    get line() {
        const { state } = this.view;
        return state.doc.lineAt(state.selection.main.head).number;
    }

    /** Shows a file; each keeps its own history. */
    open(path, text) {
        if (this.path) this.states.set(this.path, this.view.state);
        this.path = path;
        const known = this.states.get(path);
        const state = known?.doc.toString() === text ? known : undefined;
        const extensions = [this.extensions, language(path), this.wrapping.of(this.wrapped)];
        this.view.setState(state ?? EditorState.create({ doc: text, extensions }));
        // A state from before may have it otherwise.
        this.view.dispatch({ effects: this.wrapping.reconfigure(this.wrapped) });
    }

    /** Forgets all files. */
    clear() {
        this.states.clear();
        this.path = "";
    }

    /** Shows problems of the file. */
    problems(list) {
        const { doc } = this.view.state;
        const diagnostics = list.map((problem) => ({
            ...range(doc, problem),
            severity: { error: "error", warning: "warning", note: "info" }[problem.severity],
            message: [problem.message, problem.label && `here: ${problem.label}`, problem.help && `help: ${problem.help}`]
                .filter(Boolean)
                .join("\n"),
        }));
        this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
    }

    /** Shows how many instructions each line has. */
    counts(map) {
        this.view.dispatch({ effects: setCode.of({ counts: map }) });
    }

    /** Marks the line that runs next; 0: none. */
    next(line) {
        const { state } = this.view;
        if (state.field(code).next === line) return;
        /** @type {StateEffect<unknown>[]} */
        const effects = [setCode.of({ next: line })];
        if (line > 0 && line <= state.doc.lines) {
            effects.push(EditorView.scrollIntoView(state.doc.line(line).from, { y: "nearest", yMargin: 40 }));
        }
        this.view.dispatch({ effects });
    }

    /** Puts the cursor into a line. */
    go(line, column = 1) {
        const { doc } = this.view.state;
        const at = doc.line(Math.max(1, Math.min(line, doc.lines)));
        const anchor = Math.min(at.from + Math.max(0, column - 1), at.to);
        this.view.dispatch({
            selection: { anchor },
            effects: EditorView.scrollIntoView(anchor, { y: "center" }),
        });
        this.view.focus();
    }
}
