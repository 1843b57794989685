// Colours of the languages. Needs the packages that web/build.sh installs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { language } from "../page/language.js";

/** The words of a text that have a colour, each with its name. */
function coloured(path, text) {
    const found = [];
    language(path).parser.parse(text).iterate({
        enter({ name, from, to }) {
            if (name !== "Document") found.push([text.slice(from, to), name]);
        },
    });
    return found;
}

const names = (path, text) => coloured(path, text).map(([, name]) => name);

test("assembly: the first word is the operation, and what follows its operands", () => {
    const line = coloured("a.dpp", "  mad r1, c0, 2.5, uv ; why\n");
    assert.deepEqual(line, [["mad", "keyword"], ["r1", "variableName.special"], ["c0", "variableName.special"], ["2.5", "number"], ["uv", "variableName"], ["; why", "comment"]]);
});

test("assembly: both units, directives, labels and flags", () => {
    assert.deepEqual(names("a.asm", "mul r0, r1 | rcp r0 @last"), ["keyword", "variableName.special", "variableName.special", "operator", "keyword", "variableName.special", "meta"]);
    assert.deepEqual(coloured("a.asm", ".out o0"), [[".out", "meta"], ["o0", "variableName.special"]]);
    assert.deepEqual(coloured("a.asm", "start: loop i0"), [["start:", "labelName"], ["loop", "keyword"], ["i0", "variableName.special"]]);
});

test("any text ends", () => {
    // Characters that no rule takes are passed over; an open string ends with the line.
    for (const path of ["a.dpp", "a.frag", "a.wgsl", "a.toml", "a"]) {
        for (const text of ["", "\n\n", "\"open", "@", "|||", "é§ \u{1f600}", "0x", "/* open"]) coloured(path, text);
    }
    assert.deepEqual(coloured("a.dpp", "\"open"), [["\"open", "string"]]);
});

test("the ending is that of the language, in any case", () => {
    assert.deepEqual(names("a/b.FRAG", "uniform"), names("b.glsl", "uniform"));
    assert.deepEqual(names("b.wgsl", "fn"), ["keyword"]);
    assert.deepEqual(names("b.wgsl", "@fragment"), ["meta"]);
    assert.deepEqual(names("b.toml", "# text"), ["comment"]);
    assert.deepEqual(names("b.dpp", "# text"), ["comment"]);
});
