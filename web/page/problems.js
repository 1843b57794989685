// The list of errors, warnings and findings.

/** The last part of a path. @param {string} path @returns {string} */
export const base = (path) => path.split("/").pop();

/**
 * A problem of the document; line 0: of the file as a whole.
 * @typedef {{ file: string, line: number, column?: number, severity: string, message: string, code?: string, help?: string }} Problem
 *
 * Shows problems in a list; `chosen` is called for one that is pressed.
 * @param {HTMLElement} list @param {Problem[]} problems @param {(problem: Problem) => void} chosen
 */
export function showProblems(list, problems, chosen) {
    const items = problems.map((problem) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        const place = problem.line > 0 ? `${base(problem.file)}:${problem.line}` : base(problem.file);
        const help = problem.help ? `\n${problem.help}` : "";
        const part = (name, text) => Object.assign(document.createElement(name), { textContent: text });
        button.append(part("b", place), " ", part("i", problem.code ?? problem.severity), part("span", `${problem.message}${help}`));
        item.className = problem.severity;
        button.addEventListener("click", () => chosen(problem));
        item.append(button);
        return item;
    });
    list.replaceChildren(...items);
}
