// Colours for the languages of the page.

import { StreamLanguage } from "@codemirror/language";
import { clike, shader } from "@codemirror/legacy-modes/mode/clike";
import { toml } from "@codemirror/legacy-modes/mode/toml";

const words = (text) => Object.fromEntries(text.split(" ").map((word) => [word, true]));

const wgsl = clike({
    name: "wgsl",
    keywords: words(
        "alias break case const const_assert continue continuing default diagnostic discard else enable false fn for " +
            "if let loop override requires return struct switch true var while",
    ),
    types: words(
        "bool f32 f16 i32 u32 vec2 vec3 vec4 vec2f vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u mat2x2 mat3x3 " +
            "mat4x4 mat2x2f mat3x3f mat4x4f array ptr sampler texture_2d",
    ),
    blockKeywords: words("case else for if loop switch while struct fn"),
    atoms: words("true false"),
    hooks: {
        "@": (stream) => {
            stream.eatWhile(/[\w]/);
            return "meta";
        },
    },
});

const structured = /^(if|else|endif|loop|endloop|rep|endrep|break|continue|call|ret|end|jump)\b/i;

const assembly = {
    name: "assembly",
    startState: () => ({ first: true }),
    token(stream, state) {
        if (stream.sol()) state.first = true;
        if (stream.eatSpace()) return null;
        if (stream.match(/^([;#]|\/\/).*/)) return "comment";
        if (stream.match(/^\.\w+/)) return (state.first = false), "meta";
        if (stream.match(/^\w+:/)) return "labelName";
        if (stream.match(/^@[\w.]+/)) return "meta";
        if (stream.match(/^"[^"]*"?/)) return "string";
        if (stream.match(/^(0x[0-9a-f]+|\d+\.?\d*(e[-+]?\d+)?)/i)) return "number";
        if (stream.match(/^\|/)) return (state.first = true), "operator";
        if (stream.match(structured)) return (state.first = false), "keyword";
        if (state.first && stream.match(/^[a-z_][\w.\/*]*/i)) return (state.first = false), "keyword";
        if (stream.match(/^(r|c|i|o|n|b|g|ct|t)\d+\b/i)) return "variableName.special";
        if (stream.match(/^(alu_result|aL|alu|p|w|AR)\b/)) return "atom";
        if (stream.match(/^[a-z_]\w*/i)) return "variableName";
        stream.next();
        return null;
    },
    languageData: { commentTokens: { line: ";" } },
};

const modes = new Map(Object.entries({ frag: shader, glsl: shader, fs: shader, wgsl, toml }));

/** The language of a file, by its ending. @param {string} path @returns {StreamLanguage<unknown>} */
export function language(path) {
    const ending = path.split(".").pop().toLowerCase();
    return StreamLanguage.define(modes.get(ending) ?? assembly);
}
