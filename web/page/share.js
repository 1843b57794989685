// A document in the fragment of an address: nothing of it reaches a server.

async function through(stream, bytes) {
    const piped = new Blob([bytes]).stream().pipeThrough(stream);
    return new Uint8Array(await new Response(piped).arrayBuffer());
}

export const inflate = (bytes, format = "deflate-raw") => through(new DecompressionStream(format), bytes);

export function fromBase64(text) {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** The fragment of a value, after `#s=`. */
export async function pack(value) {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    const packed = await through(new CompressionStream("deflate-raw"), bytes);
    let text = "";
    for (const byte of packed) text += String.fromCharCode(byte);
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The value of a fragment. Throws if it is not one. */
export async function unpack(text) {
    const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(await inflate(bytes)));
}
