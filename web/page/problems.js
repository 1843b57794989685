// The list of errors, warnings and findings.

export const base = (path) => path.split("/").pop();

/** Shows problems in a list; `chosen(problem)` is called for one that is pressed. */
export function showProblems(list, problems, chosen) {
    const items = problems.map((problem) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        const place = problem.line > 0 ? `${base(problem.file)}:${problem.line}` : base(problem.file);
        const help = problem.help ? `\n${problem.help}` : "";
        button.innerHTML = "<b></b> <i></i><span></span>";
        button.children[0].textContent = place;
        button.children[1].textContent = problem.code ?? problem.severity;
        button.children[2].textContent = `${problem.message}${help}`;
        item.className = problem.severity;
        button.addEventListener("click", () => chosen(problem));
        item.append(button);
        return item;
    });
    list.replaceChildren(...items);
}
