// The documents that this browser keeps, because they are too large for a link.

import { $ } from "./app.js";
import { forgetDocument, keptDocuments } from "./storage.js";

/** Shows the list. */
export async function listKept() {
    const documents = await keptDocuments();
    const rows = documents.map(({ key, main, bytes, when }) => {
        const row = document.createElement("li");
        const open = Object.assign(document.createElement("a"), { href: `#k=${key}`, textContent: main });
        const said = document.createElement("small");
        said.textContent = `${Math.ceil(bytes / 1024)} KiB, ${new Date(when).toLocaleString()}`;
        const forget = Object.assign(document.createElement("button"), { textContent: "Delete", ariaLabel: `Delete ${main}` });
        open.addEventListener("click", () => $("opening").close());
        forget.addEventListener("click", async () => {
            await forgetDocument(key);
            await listKept();
            $("openfiles").focus();
        });
        row.append(open, " ", said, " ", forget);
        return row;
    });
    $("kept-list").replaceChildren(...rows);
    $("kept-none").hidden = rows.length > 0;
}
