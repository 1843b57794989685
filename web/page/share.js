// A document in the fragment of an address: nothing of it reaches a server. What an address brings is from anyone: its size
// and its types are checked before anything uses it.

/** The most bytes of source in a document: the module takes no more. */
const SOURCE = 1 << 20;
/** The most bytes of a document as JSON, in which a line end is two, and the most characters of a fragment. */
const PACKED = 2 * SOURCE;
/** The most files of a document. */
const FILES = 256;
/** The most bytes of arrays and pictures in an address. */
export const ARRAYS = 48 << 10;
/** The bytes that a stream gets at once: it makes up to a thousand times as many of them before it can be stopped. */
const PIECE = 4096;

/**
 * What a stream makes of bytes. Throws as soon as that is more than `most` bytes.
 * @param {ReadableWritablePair<Uint8Array, BufferSource>} stream @param {Uint8Array} bytes @param {number} most
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function through(stream, bytes, most = Infinity) {
    let at = 0;
    const pieces = new ReadableStream({
        pull(controller) {
            if (at >= bytes.length) return controller.close();
            controller.enqueue(bytes.subarray(at, (at += PIECE)));
        },
    });
    const reader = pieces.pipeThrough(stream).getReader();
    const parts = [];
    for (let size = 0; ; ) {
        const { done, value } = await reader.read();
        if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
        size += value.length;
        if (size > most) {
            // The stream is at its end, and what that says is of no use.
            reader.cancel().catch(() => {});
            throw new Error(TOO_LONG);
        }
        parts.push(value);
    }
}

/**
 * Compressed bytes as they were. Throws if they are not whole, or would be more than `most`.
 * @param {Uint8Array} bytes @param {CompressionFormat} format @param {number} most @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export const inflate = (bytes, format = "deflate-raw", most = Infinity) => through(new DecompressionStream(format), bytes, most);

/** Throws if the text is not base64. @param {string} text @returns {Uint8Array} */
export function fromBase64(text) {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** @param {Uint8Array} bytes @returns {string} */
function toBase64(bytes) {
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
}

/** The size of a document's own arrays and pictures in bytes. @param {Record<string, Uint8Array>} arrays @returns {number} */
export const arraysSize = (arrays) => Object.values(arrays).reduce((sum, { length }) => sum + length, 0);

const TOO_LONG = "it has more than 1 MiB of source";
const CUT = "it was cut off or changed";

/**
 * Files by their paths, as an object that has no other names: `toString` and `__proto__` are names like any other.
 * @template T @param {Record<string, T>} files @returns {Record<string, T>}
 */
export const own = (files) => Object.assign(Object.create(null), files);

/** The document that a value from elsewhere is. Throws with the reason if it is none. @returns {import("./app.js").Doc} */
function checked(value) {
    const isText = (one) => typeof one === "string";
    const isObject = (one) => typeof one === "object" && one !== null && !Array.isArray(one);
    if (!isObject(value) || !isObject(value.f)) throw new Error(CUT);
    const { m: main, f: files, e: example = "", p: path = main, d: data = {} } = value;
    const texts = Object.values(files);
    if (!isObject(data) || ![main, example, path, ...texts, ...Object.values(data)].every(isText) || !Object.hasOwn(files, main)) throw new Error(CUT);
    if (texts.length + Object.keys(data).length > FILES) throw new Error(`it has more than ${FILES} files`);
    if (new Blob(texts).size > SOURCE) throw new Error(TOO_LONG);
    const arrays = own({});
    for (const [name, text] of Object.entries(data)) arrays[name] = fromBase64(text);
    return { main, files: own(files), example, path: Object.hasOwn(files, path) ? path : main, arrays };
}

/**
 * The fragment of a document, after `#s=`; null if the document is too large for an address.
 * @param {import("./app.js").Doc} doc @returns {Promise<string | null>}
 */
export async function pack({ main, files, example, path, arrays }) {
    if (arraysSize(arrays) > ARRAYS) return null;
    if (Object.keys(files).length + Object.keys(arrays).length > FILES) return null;
    const data = Object.fromEntries(Object.entries(arrays).map(([name, bytes]) => [name, toBase64(bytes)]));
    const d = Object.keys(data).length > 0 ? { d: data } : {};
    const bytes = new TextEncoder().encode(JSON.stringify({ m: main, f: files, e: example, p: path, ...d }));
    if (bytes.length > PACKED || new Blob(Object.values(files)).size > SOURCE) return null;
    const packed = await through(new CompressionStream("deflate-raw"), bytes);
    return toBase64(packed).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The document of a fragment. Throws with the reason if it holds none. @param {string} text @param {number} most bytes of
 *  JSON @returns {Promise<import("./app.js").Doc>} */
export async function unpack(text, most = PACKED) {
    if (text.length > most) throw new Error(TOO_LONG);
    try {
        const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
        const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await inflate(bytes, "deflate-raw", most)));
        return checked(value);
    } catch (error) {
        // Base64 and JSON say why in words of their own.
        const known = error.message === TOO_LONG || error.message.startsWith("it has more") || error.message === CUT;
        throw new Error(known ? error.message : CUT);
    }
}
