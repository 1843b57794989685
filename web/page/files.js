// Files of the visitor: opened by choice, drop or paste, given to inputs, and saved.

import { download } from "./actions.js";
import { $, app, say, sayError } from "./app.js";
import { open } from "./document.js";
import { changeBy } from "./change.js";
import { listKept } from "./kept.js";
import { dataOf } from "./module.js";
import { paint } from "./picture.js";
import { own } from "./share.js";
import { unzip, zip } from "./zip.js";

const PROGRAMS = /\.(frag|glsl|wgsl|dpp|asm|hex|log|ps|txt)$/i;
const ARRAYS = /\.(npy|png)$/i;
const PICTURES = /\.(jpe?g|gif|webp|avif|bmp)$/i;
/** The longest side of a picture that is not a PNG file, which the page makes smaller. */
const SIDE = 1024;
/** The most bytes of one file, and the most files of a folder. */
const LARGEST = 64 << 20;
const MOST = 256;

/** A picture of any kind as a PNG file. @param {string} name @param {Blob} blob */
async function asPng(name, blob) {
    const bitmap = await createImageBitmap(blob).catch(() => {
        throw new Error(`${name} is not a picture that this browser can read`);
    });
    const scale = Math.min(1, SIDE / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const png = await new Promise((done) => canvas.toBlob(done, "image/png"));
    return new Uint8Array(await png.arrayBuffer());
}

/** The files of a drop, also those in folders, each with its path. @param {DataTransfer} transfer */
async function dropped(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (entries.length === 0) return [...transfer.files].map((file) => [file.name, file]);
    const found = [];
    const walk = async (entry, path) => {
        if (found.length >= MOST) return;
        if (entry.isFile) found.push([path, await new Promise((done, failed) => entry.file(done, failed))]);
        if (!entry.isDirectory) return;
        const reader = entry.createReader();
        for (;;) {
            const some = await new Promise((done, failed) => reader.readEntries(done, failed));
            if (some.length === 0) return;
            for (const one of some) await walk(one, `${path}/${one.name}`);
        }
    };
    for (const entry of entries) await walk(entry, entry.name);
    return found;
}

/** Files with those of archives in place of the archives. @param {[string, File][]} list @returns {Promise<[string, File][]>} */
async function unpacked(list) {
    /** @type {[string, File][]} */
    const all = [];
    for (const [path, file] of list) {
        if (!/\.zip$/i.test(path)) all.push([path, file]);
        else if (file.size > LARGEST) throw new Error(`${path} has more than 64 MiB`);
        else for (const [name, bytes] of unzip(path, new Uint8Array(await file.arrayBuffer()), LARGEST)) all.push([name, new File([bytes], name)]);
    }
    return all;
}

/** Reads files: texts and arrays by path, without a folder that all have in common. @param {[string, File][]} given */
async function read(given) {
    const files = own({});
    const arrays = own({});
    const list = await unpacked(given);
    const tops = new Set(list.map(([path]) => path.split("/")[0]));
    const common = tops.size === 1 && list.every(([path]) => path.includes("/")) ? [...tops][0].length + 1 : 0;
    for (const [path, file] of list.slice(0, MOST)) {
        const name = path.slice(common);
        if (file.size > LARGEST) throw new Error(`${name} has more than 64 MiB`);
        if (ARRAYS.test(name)) arrays[name] = new Uint8Array(await file.arrayBuffer());
        else if (PICTURES.test(name) || file.type.startsWith("image/")) arrays[name.replace(/(\.\w+)?$/, ".png")] = await asPng(name, file);
        else if (PROGRAMS.test(name) || /\.toml$/i.test(name)) files[name] = await file.text();
    }
    return { files, arrays };
}

/** Takes files: programs and jobs are opened, an array or a picture alone goes to an input. @param {number} [surface] */
async function take(list, surface) {
    try {
        const { files, arrays } = await read(list);
        const texts = Object.keys(files);
        if (texts.length > 0) {
            const isJob = (path) => /\.toml$/i.test(path) && /^\s*(\[program\]|\[\[pass\]\]|program\b)/m.test(files[path]);
            const main = texts.find(isJob) ?? texts.find((path) => PROGRAMS.test(path));
            if (!main) return say("there is no job and no program among these files", "bad");
            const path = texts.find((one) => PROGRAMS.test(one)) ?? main;
            await open({ main, path, files, example: "", arrays });
            return;
        }
        const [name] = Object.keys(arrays);
        if (!name) return say(`${list[0]?.[0] ?? "nothing"} is not a program, a job, a picture, an array (.npy) or an archive of them`, "bad");
        const surfaces = app.opened?.form?.surfaces ?? [];
        const first = surfaces.findIndex(({ role, file }) => role === "input" || (role === "buffer" && file));
        const to = surface ?? first;
        if (to < 0) return say("this program reads no picture or array: its source needs a sampler or an input", "bad");
        await give(to, name, arrays[name]);
    } catch (error) {
        sayError(error);
    }
}

/** Gives a picture or an array to a surface. @param {number} surface @param {string} name @param {Uint8Array} bytes */
async function give(surface, name, bytes) {
    const { doc } = app;
    const before = doc.arrays[name];
    doc.arrays[name] = bytes;
    if (!(await changeBy({ file: { surface, file: name } }))) {
        // What was refused is no part of the document.
        if (before) doc.arrays[name] = before;
        else delete doc.arrays[name];
        return;
    }
    for (const path of Object.keys(doc.arrays)) if (!isNamed(path)) delete doc.arrays[path];
    const { size, surfaces } = app.opened.form ?? {};
    if (!surfaces || $("status").className !== "good") return;
    const { name: of, width, height } = surfaces[surface];
    const other = !size || (size[0] === width && size[1] === height) ? "" : `; the result has ${size.join(" × ")}`;
    say(`${of} is ${name}, ${width} × ${height}${other}`, "good");
}

/** Whether a text of the document names a file. @param {string} path */
const isNamed = (path) => Object.values(app.doc.files).some((text) => text.includes(path));

/** Asks for files. @param {number} [surface] the surface that they are for */
export function choose(surface) {
    const input = $("chosen");
    input.accept = surface === undefined ? "" : "image/*,.npy,.png";
    input.multiple = surface === undefined;
    input.value = "";
    input.onchange = () => take([...input.files].map((file) => [file.name, file]), surface);
    input.click();
}

/** Asks for a folder. */
function chooseFolder() {
    const input = $("folder");
    input.value = "";
    input.onchange = () => take([...input.files].map((file) => [file.webkitRelativePath || file.name, file]));
    input.click();
}

/** Takes what was dropped on a surface. */
export const takeDrop = async (surface, transfer) => take(await dropped(transfer), surface);

/** Saves the document: its only file, or all in an archive. */
export function save() {
    const { doc } = app;
    const texts = Object.entries(doc.files);
    const all = [...texts, ...dataOf(doc).filter(([path]) => isNamed(path))];
    if (all.length === 1) return download(texts[0][0].split("/").pop(), texts[0][1], "text/plain");
    download(`${doc.main.split("/").pop().replace(/\.\w+$/, "")}.zip`, zip(all), "application/zip");
}

/** Saves a picture. @param {number} picture @param {"npy" | "png"} kind */
export async function savePicture(picture, kind) {
    const { name } = app.pictures[picture];
    const base = name.replace(/[^\w-]+/g, "_");
    if (kind === "npy") {
        const answer = await app.engine.ask({ array: { picture } });
        return download(`${base}.npy`, answer.blob(answer.array), "application/octet-stream");
    }
    const canvas = document.createElement("canvas");
    paint(canvas, app.pictures[picture], app.pictures[picture].bytes);
    canvas.toBlob((blob) => download(`${base}.png`, blob, "image/png"), "image/png");
}

/** Listens to drops and to pictures that are pasted. */
export function listenToFiles() {
    $("open").addEventListener("click", async () => {
        await listKept();
        $("opening").showModal();
    });
    for (const [id, asks] of /** @type {[string, () => void][]} */ ([["openfiles", choose], ["openfolder", chooseFolder]])) {
        $(id).addEventListener("click", () => {
            $("opening").close();
            asks();
        });
    }
    $("saveall").addEventListener("click", save);
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", async (event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        take(await dropped(event.dataTransfer));
    });
    addEventListener("paste", (event) => {
        const list = [...(event.clipboardData?.files ?? [])];
        if (list.length === 0) return;
        event.preventDefault();
        take(list.map((file) => [file.name, file]));
    });
}
