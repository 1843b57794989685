// The archive is what another program reads.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { strFromU8, unzipSync } from "fflate";
import { unzip, zip } from "../page/zip.js";

test("texts and bytes come back under their paths", () => {
    const array = Uint8Array.from({ length: 300 }, (_, n) => n & 255);
    const files = unzipSync(zip([["job.toml", "points = 1\n"], ["data/é.npy", array]]));
    assert.deepEqual(Object.keys(files), ["job.toml", "data/é.npy"]);
    assert.equal(strFromU8(files["job.toml"]), "points = 1\n");
    assert.deepEqual(files["data/é.npy"], array);
});

test("an archive is read within a size, and what is none is named", () => {
    const archive = zip([["job.toml", "points = 1\n"], ["data/a.npy", new Uint8Array(5000)]]);
    const read = unzip("saved.zip", archive, 1 << 20).map(([path, bytes]) => [path, bytes.length]);
    assert.deepEqual(read, [["job.toml", 11], ["data/a.npy", 5000]]);
    assert.throws(() => unzip("saved.zip", archive, 5000), /^Error: saved.zip has more than 0 MiB in it$/);
    for (const wrong of [new Uint8Array(0), archive.slice(0, 40), Uint8Array.from({ length: 300 }, (_, n) => n & 255)]) {
        assert.throws(() => unzip("saved.zip", wrong, 1 << 20), /^Error: saved.zip is not a ZIP archive, or is cut off$/);
    }
});

/** Whether a command can be run. */
function runs(command) {
    try {
        execFileSync(command, ["-v"], { stdio: "ignore" });
        return true;
    } catch {
        return false;
    }
}

test("unzip finds no fault", { skip: runs("unzip") ? false : "unzip is not installed" }, () => {
    const folder = mkdtempSync(join(tmpdir(), "ctm-zip-"));
    try {
        const path = join(folder, "saved.zip");
        const bytes = zip([["job.toml", "points = 1\n"], ["data/a.npy", new Uint8Array(5000).fill(7)]]);
        writeFileSync(path, bytes);
        assert.match(execFileSync("unzip", ["-t", path], { encoding: "utf8" }), /No errors detected/);
        // One changed byte of a file, and unzip says so: the check above can fail.
        bytes[40] ^= 1;
        writeFileSync(path, bytes);
        assert.throws(() => execFileSync("unzip", ["-t", path], { stdio: "pipe" }));
    } finally {
        rmSync(folder, { recursive: true });
    }
});
