// Counters and clocks of a run.

/** Kinds of instructions. */
export const KINDS = ["alu", "out", "tex", "fc"];

/** A count with commas. @param {number} n @returns {string} */
export const thousands = (n) => n.toLocaleString("en");

/** Counts of kinds of instructions as texts. @param {Record<string, number>} counts @returns {string[]} */
export function kinds(counts) {
    return KINDS.filter((kind) => counts[kind] > 0).map((kind) => `${thousands(counts[kind])} ${kind.toUpperCase()}`);
}

/** Shows those of a run in a list. @param {HTMLElement} list @param {any} ran the module's answer */
export function showClocks(list, ran) {
    const counts = Object.fromEntries(ran.counters);
    const seconds = ran.card_seconds ?? 0;
    const [unit, scale] = seconds < 1e-6 ? ["ns", 1e9] : seconds < 1e-3 ? ["µs", 1e6] : ["ms", 1e3];
    const compiled = ran.compile_ms === undefined ? "" : `; compiled in ${ran.compile_ms.toFixed(1)} ms`;
    const rows = [
        ["group instructions", kinds(counts).join(", ")],
        ["divergent branches", thousands(counts.divergent)],
        ["fetches", thousands(counts.fetches)],
        ["clocks", thousands(ran.clocks ?? 0)],
        [`an ${ran.card} at best`, `${(seconds * scale).toPrecision(3)} ${unit}, bound by ${ran.card_bound}`],
        ["this page", `${ran.execute_ms.toFixed(1)} ms${compiled}`],
    ];
    if (ran.launches > 1) rows.unshift(["launches", thousands(ran.launches)]);
    list.replaceChildren(
        ...rows.flatMap(([name, value]) => {
            const [term, data] = [document.createElement("dt"), document.createElement("dd")];
            term.textContent = name;
            data.textContent = value;
            return [term, data];
        }),
    );
}
