// An archive of files, stored as they are.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
});

/** The checksum of the ZIP format. @param {Uint8Array} bytes @returns {number} */
function crc(bytes) {
    let sum = 0xffffffff;
    for (const byte of bytes) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
    return (sum ^ 0xffffffff) >>> 0;
}

/** The bytes of numbers, each after its size in bytes. @param {...[size: number, value: number]} fields @returns {number[]} */
function fields(...fields) {
    return fields.flatMap(([size, value]) => Array.from({ length: size }, (_, n) => (value / 2 ** (8 * n)) & 255));
}

/** A ZIP archive. @param {[path: string, content: string | Uint8Array][]} files @returns {Uint8Array} */
export function zip(files) {
    const parts = [];
    const central = [];
    let at = 0;
    const add = (...bytes) => {
        for (const one of bytes) {
            parts.push(one);
            at += one.length;
        }
    };
    for (const [path, content] of files) {
        const name = new TextEncoder().encode(path);
        const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
        // Version 2.0, names in UTF-8, stored; 1 January 1980.
        const about = fields([2, 20], [2, 0x800], [2, 0], [2, 0], [2, 0x21], [4, crc(bytes)], [4, bytes.length], [4, bytes.length], [2, name.length], [2, 0]);
        central.push([Uint8Array.from([...fields([4, 0x02014b50], [2, 20]), ...about, ...fields([2, 0], [2, 0], [2, 0], [4, 0], [4, at])]), name]);
        add(Uint8Array.from([...fields([4, 0x04034b50]), ...about]), name, bytes);
    }
    const start = at;
    for (const entry of central) add(...entry);
    const count = files.length;
    add(Uint8Array.from(fields([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, at - start], [4, start], [2, 0])));
    const all = new Uint8Array(at);
    let place = 0;
    for (const part of parts) {
        all.set(part, place);
        place += part.length;
    }
    return all;
}
