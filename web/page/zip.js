// An archive of files.

import { strToU8, zipSync } from "fflate";

/** A ZIP archive, not compressed. @param {[path: string, content: string | Uint8Array][]} files @returns {Uint8Array<ArrayBuffer>} */
export function zip(files) {
    const bytes = (content) => (typeof content === "string" ? strToU8(content) : content);
    return zipSync(Object.fromEntries(files.map(([path, content]) => [path, bytes(content)])), { level: 0 });
}
