// The instructions of a program, each with its line of the source.

/** The operations of an instruction, a line each: that of the RGB unit, `|` and that of the alpha unit; then flags. */
function halves(text) {
    const at = text.search(/ @/);
    const operations = (at < 0 ? text : text.slice(0, at)).split(" | ");
    const lines = operations.map((operation, n) => {
        const line = document.createElement("span");
        line.textContent = n === 0 ? operation : `| ${operation}`;
        return line;
    });
    if (at >= 0) {
        const flags = document.createElement("small");
        flags.textContent = text.slice(at);
        lines.at(-1).append(flags);
    }
    return lines;
}

export class Listing {
    /** `line(file, line)` is called when a row is chosen, `run(pc)` when one is to be run to; `explain(text)` gives what
     *  there is to say about an instruction. */
    constructor(list, { line, run, explain }) {
        this.list = list;
        this.rows = [];
        this.chosen = 0;
        list.addEventListener("click", (event) => {
            const row = event.target.closest("li");
            if (row) this.choose(Number(row.dataset.pc), line);
        });
        list.addEventListener("dblclick", (event) => {
            const row = event.target.closest("li");
            if (row) run(Number(row.dataset.pc));
        });
        list.addEventListener("mouseover", (event) => {
            const row = event.target.closest("li");
            if (row) row.title = explain(this.program.code[Number(row.dataset.pc)].text);
        });
        list.addEventListener("keydown", (event) => {
            const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (event.altKey || this.rows.length === 0) return;
            if (by) {
                event.preventDefault();
                this.choose(Math.max(0, Math.min(this.chosen + by, this.rows.length - 1)), line);
            } else if (event.key === "Enter") {
                run(this.chosen);
            }
        });
    }

    /** Shows a program. */
    show(program) {
        this.program = program;
        this.chosen = 0;
        const rows = program.code.map(({ text, kind, label }, pc) => {
            const row = document.createElement("li");
            row.dataset.pc = pc;
            row.className = kind;
            const number = document.createElement("span");
            number.className = "pc";
            number.textContent = pc;
            const code = document.createElement("code");
            code.append(...halves(text));
            if (label) {
                const name = document.createElement("b");
                name.textContent = `${label}: `;
                code.firstElementChild.prepend(name);
            }
            row.append(number, code);
            return row;
        });
        this.rows = rows;
        this.list.replaceChildren(...rows);
    }

    choose(pc, line) {
        this.chosen = pc;
        this.rows.forEach((row, n) => row.classList.toggle("chosen", n === pc));
        this.rows[pc].scrollIntoView({ block: "nearest" });
        const { file, lines } = this.program.code[pc];
        if (lines.length > 0) line(file, lines[0]);
    }

    /** Marks the instructions of a line of a file. */
    mark(file, line) {
        let first;
        this.program?.code.forEach((instruction, pc) => {
            const here = instruction.file === file && instruction.lines.includes(line);
            this.rows[pc].classList.toggle("here", here);
            if (here) first ??= this.rows[pc];
        });
        first?.scrollIntoView({ block: "nearest" });
    }

    /** Marks the instruction that runs next; -1: none. */
    next(pc) {
        this.rows.forEach((row, n) => {
            row.classList.toggle("next", n === pc);
            row.toggleAttribute("aria-current", n === pc);
        });
        this.rows[pc]?.scrollIntoView({ block: "nearest" });
    }
}
