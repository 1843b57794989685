// Numbers as texts, and elements with a text.

/** A float as short as it can be. @param {number} value @returns {string} */
export function number(value) {
    if (Object.is(value, -0)) return "-0";
    if (!Number.isFinite(value)) return String(value).replace("Infinity", "inf");
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(3);
    return String(Number(value.toPrecision(6)));
}

/** The float of a word. @param {number} word @returns {number} */
export const floatOf = (word) => new Float32Array(Uint32Array.of(word).buffer)[0];

/** An element with a text and attributes. @param {string} name @param {string | number} [text]
 *  @param {Record<string, string>} attributes @returns {HTMLElement} */
export function element(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = String(text);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
}
