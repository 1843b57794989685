// Puts the page into one file: the script (bundled), the style, the worker, the module and the examples.
//     node pack.mjs MODULE.wasm KERNELS OUT.html

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const [, , module, kernels, out] = process.argv;
const here = import.meta.dirname;

/** The groups of the list of examples: what is in each, and its jobs, which run in a second or so. Those with a slash in
 *  front are the page's own. */
const GROUPS = [
    ["Pictures that move", "/ball /life glsl/plasma glsl/sphere glsl/sdf_shapes jacobi/jacobi"],
    ["Shaders in GLSL: a program that paints each pixel", "glsl/mandelbrot_orbit glsl/phong glsl/simplex " +
        "glsl/value_noise glsl/kaleidoscope glsl/checker glsl/gradient glsl/hue glsl/bounce glsl/wipe glsl/blur glsl/sharpen " +
        "glsl/bilinear glsl/blend glsl/tone_map glsl/heat_map glsl/vignette glsl/deferred"],
    ["A shader in WGSL, the language of WebGPU", "glsl/wave"],
    ["Computing in the chip's own assembly language", "mandelbrot/mandelbrot sobel/sobel copy/copy saxpy/saxpy scan/scan " +
        "fft/fft nbody/nbody matmul/matmul_64 scatter/scatter conditional/conditional_dpp conditional/conditional_pe"],
    ["Points that share registers, as on later chips", "histogram/histogram barrier/barrier conflicts/global " +
        "conflicts/clause reduce/reduce_256"],
];

/** Titles of jobs whose names say little. */
const TITLES = {
    "/ball": "a ball that turns", "/life": "game of life", "glsl/sphere": "ball with a light", "jacobi/jacobi": "heat in a plate",
    "glsl/sdf_shapes": "shapes that melt", "glsl/mandelbrot_orbit": "mandelbrot with a trap", "glsl/hue": "turn of the hue",
    "glsl/bounce": "curve of a bounce", "glsl/wipe": "transition of two pictures", "glsl/bilinear": "enlarged picture",
    "glsl/deferred": "two outputs at once", "glsl/wave": "rings of a wave", "sobel/sobel": "edges (Sobel)",
    "copy/copy": "copy into tiles", "saxpy/saxpy": "a * x + y", "scan/scan": "running sums", "fft/fft": "Fourier transform",
    "nbody/nbody": "gravity of 256 bodies", "matmul/matmul_64": "matrix product", "scatter/scatter": "bit reversal (scatter)",
    "conditional/conditional_dpp": "depth buffer", "conditional/conditional_pe": "heat in a shape",
    "barrier/barrier": "two halves change places", "conflicts/global": "sums that wait for one another",
    "conflicts/clause": "sums that do not wait", "reduce/reduce_256": "sum, least, greatest",
};

function bundle(entry) {
    const options = { bundle: true, minify: true, write: false, format: "iife", target: "es2022", legalComments: "none" };
    return build({ ...options, entryPoints: [join(here, "page", entry)] }).then(({ outputFiles }) => outputFiles[0].text);
}

/** A job with the files that it reads: texts, and arrays in base64. */
function example(name, group) {
    const path = name.startsWith("/") ? join(here, "examples", `${name}.toml`) : join(kernels, `${name}.toml`);
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
    const title = TITLES[name] ?? name.split("/").pop().replaceAll("_", " ");
    // The longest program is what the job is about.
    const [program] = Object.keys(files).filter((file) => file !== main).sort((a, b) => files[b].length - files[a].length);
    const ordered = { [program]: files[program], ...files };
    return { name: name.replace(/^(glsl)?\//, ""), group, title, about, main, files: ordered, data, path: program };
}

const examples = GROUPS.flatMap(([group, names]) => names.split(" ").map((name) => example(name, group)));
const blank = JSON.parse(readFileSync(join(here, "page", "blank.json"), "utf8"));
for (const { title, name, file, text } of blank) {
    examples.push({ name, group: "Your own, from an empty one", title, main: file, files: { [file]: text.join("\n") }, data: {}, path: file });
}

/** A script in a page must not hold what ends it. */
const script = (text) => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");
const main = script(await bundle("main.js"));
// The page in the frame obeys the policy of this page as well as its own.
const witness = ["run.js", "witness.js"].map((file) => readFileSync(join(here, file), "utf8")).join("");
const source = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
/** The project's address, if `CTM_HOME` gives one. */
const home = process.env.CTM_HOME?.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
const parts = {
    HOME: home ? ` <a href="${home}" target="_blank" rel="noopener">The project and its manual</a>` : "",
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
const sizes = Object.entries(parts).filter(([, text]) => text.length > 1024).map(([name, text]) => `${name.toLowerCase()} ${kib(text.length)}`);
console.log(`${resolve(out)}: ${kib(statSync(out).size)} (${sizes.join(", ")}), ${examples.length} examples`);
