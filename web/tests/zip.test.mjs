// The archive is read back by its own fields, not by the code that wrote it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { zip } from "../page/zip.js";

/** The files of an archive, found by its directory as a reader finds them. */
function read(bytes) {
    const view = new DataView(bytes.buffer);
    const end = bytes.length - 22;
    assert.equal(view.getUint32(end, true), 0x06054b50, "the end of the directory");
    const count = view.getUint16(end + 10, true);
    const [size, start] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
    const text = (at, length) => new TextDecoder().decode(bytes.subarray(at, at + length));
    const files = [];
    let at = start;
    for (let n = 0; n < count; n++) {
        assert.equal(view.getUint32(at, true), 0x02014b50, "an entry of the directory");
        const [crc, packed, length, name] = [view.getUint32(at + 16, true), view.getUint32(at + 20, true), view.getUint32(at + 24, true), view.getUint16(at + 28, true)];
        const local = view.getUint32(at + 42, true);
        assert.equal(view.getUint32(local, true), 0x04034b50, "a file");
        // Both headers agree, from the flags to the length of the name.
        assert.deepEqual(bytes.subarray(at + 6, at + 30), bytes.subarray(local + 4, local + 28));
        assert.equal(packed, length);
        assert.equal(view.getUint16(at + 8, true), 0x800, "names are in UTF-8");
        assert.equal(view.getUint16(at + 10, true), 0, "files are stored");
        const path = text(at + 46, name);
        assert.equal(text(local + 30, name), path);
        files.push({ path, crc, bytes: bytes.slice(local + 30 + name, local + 30 + name + length) });
        at += 46 + name;
    }
    assert.equal(at, start + size);
    assert.equal(at, end);
    return files;
}

test("texts and bytes come back under their paths", () => {
    const array = Uint8Array.from({ length: 300 }, (_, n) => n & 255);
    const files = read(zip([["job.toml", "points = 1\n"], ["data/é.npy", array], ["empty", ""]]));
    assert.deepEqual(files.map(({ path }) => path), ["job.toml", "data/é.npy", "empty"]);
    assert.equal(new TextDecoder().decode(files[0].bytes), "points = 1\n");
    assert.deepEqual(files[1].bytes, array);
    assert.equal(files[2].bytes.length, 0);
});

test("the checksum is that of the standard", () => {
    const [check, none] = read(zip([["a", "123456789"], ["b", ""]]));
    assert.equal(check.crc, 0xcbf43926);
    assert.equal(none.crc, 0);
});

test("an archive without files is its end", () => {
    assert.deepEqual(read(zip([])), []);
    assert.equal(zip([]).length, 22);
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
