// Whether the programs are proved to give what they gave at the start of the document.

import { $, app } from "./app.js";
import { pack } from "./engine.js";
import { dataOf, exampleOf } from "./module.js";

/** Milliseconds without a key before the module looks for a proof, and the seconds that it has. */
const IDLE = 700;
const SECONDS = 1;

let timer;

/** The texts at the start: those of the example, or those that were opened. @param {import("./app.js").Doc} doc
 *  @returns {Record<string, string>} */
const startOf = (doc) => exampleOf(doc.example)?.files ?? app.start;

/** Looks for a proof once nothing is written for a while, if only programs are changed. */
export function compare() {
    clearTimeout(timer);
    $("same").hidden = true;
    const { doc, version } = app;
    const start = startOf(doc);
    const changed = Object.entries(doc.files).filter(([path, text]) => start[path] !== text);
    if (!(doc.main in start) || changed.length === 0 || changed.some(([path]) => path.endsWith(".toml"))) return;
    timer = setTimeout(async () => {
        const { list, blobs } = pack([...dataOf(doc), ...Object.entries(start)]);
        const asked = app.engine.ask({ same: { main: doc.main, files: list, seconds: SECONDS } }, blobs);
        const proved = await asked.then((answer) => answer.proved, () => false);
        if (version === app.version) $("same").hidden = !proved;
    }, IDLE);
}
