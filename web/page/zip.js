// An archive of files.

import { strToU8, unzipSync, zipSync } from "fflate";

/** A ZIP archive, not compressed. @param {[path: string, content: string | Uint8Array][]} files @returns {Uint8Array<ArrayBuffer>} */
export function zip(files) {
    const bytes = (content) => (typeof content === "string" ? strToU8(content) : content);
    return zipSync(Object.fromEntries(files.map(([path, content]) => [path, bytes(content)])), { level: 0 });
}

/** The files of a ZIP archive. Throws if it is none, or its files have more than `most` bytes together.
 *  @param {string} name @param {Uint8Array} bytes @param {number} most @returns {[path: string, bytes: Uint8Array<ArrayBuffer>][]} */
export function unzip(name, bytes, most) {
    let size = 0;
    const filter = ({ name: path, originalSize }) => {
        size += originalSize;
        if (size > most) throw new Error(`${name} has more than ${most >> 20} MiB in it`);
        return !path.endsWith("/");
    };
    try {
        return /** @type {[string, Uint8Array<ArrayBuffer>][]} */ (Object.entries(unzipSync(bytes, { filter })));
    } catch (error) {
        throw error.message.startsWith(name) ? error : new Error(`${name} is not a ZIP archive, or is cut off`);
    }
}
