// Rows of the other side that come from the same lines are selected with the row under the pointer or the focus.
const panes = [...document.querySelectorAll(".pane")];
const rows = panes.map((pane) => [...pane.querySelectorAll("[data-lines]")]);
const sideOf = (row) => panes.findIndex((pane) => pane.contains(row));
const lines = (row) => row.dataset.lines.split(" ");
const same = (a, b) => lines(a).some((line) => lines(b).includes(line));

function reveal(pane, row) {
    const top = row.offsetTop - pane.offsetTop;
    if (top < pane.scrollTop || top + row.offsetHeight > pane.scrollTop + pane.clientHeight) {
        pane.scrollTop = top - pane.clientHeight / 3;
    }
}

function show(row) {
    panes.forEach((pane, side) => {
        const own = row && side === sideOf(row);
        const selected = rows[side].filter((other) => row && (own ? other === row : same(row, other)));
        rows[side].forEach((other) => other.setAttribute("aria-selected", selected.includes(other)));
        if (!own && selected.length) reveal(pane, selected[0]);
    });
}

const rowAt = (target) => target instanceof Element && target.closest("[data-lines]");

panes.forEach((pane, side) => {
    // One stop for the tabulator on each side.
    rows[side].forEach((row, n) => (row.tabIndex = n ? -1 : 0));
    pane.addEventListener("mouseover", (event) => rowAt(event.target) && show(rowAt(event.target)));
    pane.addEventListener("mouseleave", () => show(rowAt(document.activeElement) || null));
    pane.addEventListener("click", (event) => rowAt(event.target)?.focus?.());
    pane.addEventListener("focusin", (event) => {
        const row = rowAt(event.target);
        if (!row) return;
        rows[side].forEach((other) => (other.tabIndex = other === row ? 0 : -1));
        show(row);
    });
    pane.addEventListener("keydown", (event) => {
        const row = rowAt(event.target);
        if (!row) return;
        const at = rows[side].indexOf(row);
        const other = rows[side ? 0 : 1].find((one) => same(row, one));
        const next = {
            ArrowUp: rows[side][at - 1],
            ArrowDown: rows[side][at + 1],
            Home: rows[side][0],
            End: rows[side][rows[side].length - 1],
            ArrowLeft: side === 1 && other,
            ArrowRight: side === 0 && other,
        }[event.key];
        if (next) {
            event.preventDefault();
            next.focus();
        }
    });
});
