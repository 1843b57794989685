// Puts the page into one file: the script (bundled), the style, the worker, the module and the examples.
//     node pack.mjs MODULE.wasm KERNELS OUT.html

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const [, , module, kernels, out] = process.argv;
const here = import.meta.dirname;

/** The jobs of the page, in its order: those that run in a second or so. */
const GROUPS = {
    GLSL: "glsl/sphere glsl/plasma glsl/mandelbrot_orbit glsl/sdf_shapes glsl/phong glsl/simplex glsl/value_noise " +
        "glsl/kaleidoscope glsl/checker glsl/gradient glsl/hue glsl/bounce glsl/wipe glsl/blur glsl/sharpen glsl/bilinear " +
        "glsl/blend glsl/tone_map glsl/heat_map glsl/vignette glsl/deferred",
    WGSL: "glsl/wave",
    Assembly: "mandelbrot/mandelbrot sobel/sobel jacobi/jacobi copy/copy saxpy/saxpy scan/scan fft/fft nbody/nbody " +
        "matmul/matmul_64 scatter/scatter conditional/conditional_dpp conditional/conditional_pe",
    "Data sharing": "histogram/histogram barrier/barrier conflicts/global conflicts/clause reduce/reduce_256",
};

function bundle(entry) {
    const options = { bundle: true, minify: true, write: false, format: "iife", target: "es2022", legalComments: "none" };
    return build({ ...options, entryPoints: [join(here, "page", entry)] }).then(({ outputFiles }) => outputFiles[0].text);
}

/** A job with the files that it reads: texts, and arrays in base64. */
function example(name, group) {
    const path = join(kernels, `${name}.toml`);
    const main = `${name}.toml`.split("/").pop();
    const text = readFileSync(path, "utf8");
    // Expected arrays are not for the page.
    const parts = text.split(/^(?=\[\[?[\w.]+\]?\])/m).filter((part) => !part.startsWith("[[expect]]"));
    const job = parts.join("").trimEnd().replace(/(\n#.*)+$/, "");
    const data = {};
    const files = { [main]: `${job}\n` };
    const folder = dirname(path);
    const present = new Set(readdirSync(folder));
    const reads = [...job.matchAll(/\b(file|initial|float_file)\s*=\s*"([^"]+)"/g)].map((match) => match[2]);
    for (const file of reads) {
        if (!present.has(file)) throw new Error(`${path}: ${file} is missing`);
        const bytes = readFileSync(join(folder, file));
        if (/\.(npy|png)$/.test(file)) data[file] = bytes.toString("base64");
        else files[file] = bytes.toString("utf8");
    }
    const about = job.match(/^about = "(.*)"$/m)?.[1] ?? name;
    const title = name.split("/").pop().replaceAll("_", " ");
    const [program] = Object.keys(files).filter((file) => file !== main);
    const ordered = { [program]: files[program], ...files };
    return { name: name.replace("glsl/", ""), group, title, about, main, files: ordered, data, path: program };
}

const examples = Object.entries(GROUPS).flatMap(([group, names]) => names.split(" ").map((name) => example(name, group)));
const blank = JSON.parse(readFileSync(join(here, "page", "blank.json"), "utf8"));
for (const { title, name, file, text } of blank) {
    examples.push({ name, group: "New", title, main: file, files: { [file]: text.join("\n") }, data: {}, path: file });
}

/** A script in a page must not hold what ends it. */
const script = (text) => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");
const main = script(await bundle("main.js"));
// The page in the frame obeys the policy of this page as well as its own.
const witness = ["run.js", "witness.js"].map((file) => readFileSync(join(here, file), "utf8")).join("");
const source = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const parts = {
    SCRIPTS: [main, witness].map(source).join(" "),
    STYLE: readFileSync(join(here, "page", "style.css"), "utf8"),
    WORKER: script(await bundle("worker.js")),
    SCRIPT: main,
    EXAMPLES: packed(JSON.stringify(examples)),
    MODULE: packed(readFileSync(module)),
};
const page = readFileSync(join(here, "page", "index.html"), "utf8");
writeFileSync(out, page.replace(/\/\*([A-Z]+)\*\//g, (_, name) => parts[name]));
const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;
const sizes = Object.entries(parts).map(([name, text]) => `${name.toLowerCase()} ${kib(text.length)}`);
console.log(`${resolve(out)}: ${kib(statSync(out).size)} (${sizes.join(", ")}), ${examples.length} examples`);
