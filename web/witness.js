// The script of an exported page (`ctm export`), after run.js: it finds the guard level of the visitor's
// GPU, runs the job's plans at that level, compares every word, and makes a report.

const hex = (word) => `0x${word.toString(16).padStart(8, "0")}`;
const counted = (n, one, many) => `${n} ${n === 1 ? one : many}`;
/** @returns {any} the element of an id */
const element = (id) => window.document.getElementById(id);

/// The document of the page, which is base64 of deflated JSON.
async function unpacked() {
    const packed = new Blob([bytes(element("document").textContent)]);
    return new Response(packed.stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
}

/// The element of a surface at a position of memory, `[x, y]` and the byte in it; undefined if it has none.
function elementAt(witness, surface, from, position) {
    const { channels, channel_bytes, width, height, row, table } = surface;
    const [size, relative] = [channels * channel_bytes, position - surface[from]];
    if (table !== undefined) {
        const n = words(witness, table).findIndex((at) => relative >= at && relative < at + size);
        return n < 0 ? undefined : [n % width, Math.floor(n / width)];
    }
    // The distance of rows is 0 if there is only one.
    const y = row === 0 ? 0 : Math.floor(relative / row);
    const x = Math.floor((relative - y * row) / size);
    return relative >= 0 && x < width && y < height ? [x, y] : undefined;
}

/// The channels of an element of memory, as hexadecimal units.
function elementUnits(witness, surface, from, memory, [x, y]) {
    const { channels, channel_bytes: size, width, row, table } = surface;
    const at = table === undefined ? y * row + x * channels * size : words(witness, table)[y * width + x];
    const view = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
    const read = { 1: view.getUint8, 2: view.getUint16, 4: view.getUint32 }[size].bind(view);
    return Array.from({ length: channels }, (_, n) => {
        return `0x${read(surface[from] + at + n * size, true).toString(16).padStart(2 * size, "0")}`;
    });
}

/// The picture of a surface in the words that a run left, as crates/jobs/src/array/picture.rs makes it.
function picture(witness, surface, found) {
    const { width, height, channels, channel_bytes: size, row, table, end, format } = surface;
    const { range: [low, high], upward } = surface.pixels;
    const view = new DataView(found.buffer, found.byteOffset, found.byteLength);
    const positions = table === undefined ? undefined : words(witness, table);
    const unit = {
        1: (at) => Math.fround(view.getUint8(at) / 255),
        2: (at) => Math.fround(view.getUint16(at, true) / 65535),
        4: (at) => view.getFloat32(at, true),
    }[size];
    // Assignment to the pixels clamps, and rounds to the nearest number, ties to even.
    const plain = (value) => Math.fround(255 * value);
    const scaled = (value) => Math.floor(Math.fround(Math.fround(255 * Math.fround(value - low)) / Math.fround(high - low)) + 0.5);
    const shown = low === 0 && high === 1 ? plain : scaled;
    // Memory has blue, green, red.
    const place = (channel) => (format === "UINT8_4" ? 2 - channel : channel);
    const image = new ImageData(width, height);
    for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
            const at = end + (positions ? positions[y * width + x] : y * row + x * channels * size);
            const to = 4 * ((upward ? height - 1 - y : y) * width + x);
            for (let n = 0; n < Math.min(channels, 3); n += 1) {
                image.data[to + n] = shown(unit(at + place(n) * size));
            }
            if (channels === 1) image.data.fill(image.data[to], to + 1, to + 3);
            image.data[to + 3] = 255;
        }
    }
    const canvas = Object.assign(window.document.createElement("canvas"), { width, height });
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
}

/// The pictures of a run, with a mark at the word that differs.
function pictures(witness, { engine, difference }, found) {
    return witness.surfaces.filter(({ pixels }) => pixels).map((surface) => {
        const { name, width, height, pixels: { upward } } = surface;
        const [figure, box, mark, caption] = ["figure", "div", "span", "figcaption"].map((tag) => window.document.createElement(tag));
        box.append(picture(witness, surface, found));
        caption.textContent = `${name}, ${engine}`;
        if (difference?.surface === name) {
            const { x, y } = difference;
            const parts = { left: x / width, top: (upward ? height - 1 - y : y) / height, width: 1 / width, height: 1 / height };
            for (const [side, part] of Object.entries(parts)) mark.style[side] = `${100 * part}%`;
            box.append(mark);
            caption.textContent += `: different at x ${x}, y ${y}`;
        }
        figure.append(box, caption);
        return figure;
    });
}

/// What a report says about the first word that differs: its number, both words, the place, and what the
/// job's inputs have at the same place.
function described(witness, plan, at, expected, found) {
    const differs = expected[at] ^ found[at];
    // The lowest byte that differs.
    const position = 4 * at + ((31 - Math.clz32(differs & -differs)) >> 3);
    const difference = { word: at, expected: expected[at], got: found[at], surface: null };
    for (const surface of witness.surfaces) {
        const place = elementAt(witness, surface, "end", position);
        if (place === undefined) {
            continue;
        }
        const before = bytes(witness.contents[plan.buffers[plan.read].content]);
        const like = witness.surfaces.filter(({ width, height }) => {
            return width === surface.width && height === surface.height;
        });
        const operands = like.map((other) => {
            return { surface: other.name, units: elementUnits(witness, other, "start", before, place) };
        });
        return { ...difference, surface: surface.name, x: place[0], y: place[1], operands };
    }
    return difference;
}

/// A difference as text.
function sentence({ word, expected, got, surface, x, y, operands }) {
    const place = surface === null ? `word ${word}` : `${surface}, x ${x}, y ${y} (word ${word})`;
    const given = (operands ?? []).map(({ surface, units }) => `\nbefore the job, ${surface} had ${units.join(", ")} there`);
    return `different at ${place}: ${hex(got)} where ${hex(expected)} is expected${given.join("")}`;
}

/// Runs the plans of a guard level: the runs of a report, which is shown after each. The pictures are those of the first
/// run, and of those that differ.
async function runs(device, witness, report, say) {
    const { guards } = report.probe;
    const expected = words(witness, witness.expected);
    for (const plan of witness.plans.filter((plan) => plan.engine !== "probe" && plan.guards === guards)) {
        const { engine, launches, translated } = plan;
        /** @type {any} a run of a report */
        const outcome = { engine, guards, launches, translated, words: expected.length, same: false };
        say(`${engine}: compiling`);
        try {
            const progress = (n) => say(`${engine}: ${counted(n, "dispatch", "dispatches")}`);
            const found = await run(device, witness, plan, { progress });
            Object.assign(outcome, { compile_ms: found.compile, run_ms: found.run, gpu_ms: found.gpu });
            const at = difference(expected, found.words);
            outcome.same = at === undefined;
            if (at !== undefined) {
                outcome.difference = described(witness, plan, at, expected, found.words);
            }
            if (!outcome.same || element("found").childElementCount === 0) {
                element("found").append(...pictures(witness, outcome, found.words));
            }
        } catch (error) {
            outcome.error = error.message;
        }
        report.runs.push(outcome);
        show(report);
    }
}

/// Everything, as a report: docs/browser.md has its fields.
async function report(witness, say) {
    const report = {
        format: "ctm witness 1",
        version: witness.version,
        job: witness.job,
        browser: navigator.userAgent,
        adapter: null,
        limits: null,
        probe: null,
        runs: [],
        refused: witness.refused,
        error: null,
    };
    try {
        say("looking for a GPU");
        const { device, adapter, limits } = await openDevice();
        Object.assign(report, { adapter, limits });
        say("probing its arithmetic");
        report.probe = await probe(device, witness);
        if (report.probe.guards === null) {
            report.error = "this GPU does not give the exact bits at any guard level";
        } else {
            await runs(device, witness, report, say);
        }
        device.destroy();
    } catch (error) {
        report.error = error.message;
    }
    return report;
}

/// A line of the result.
function line(text, kind) {
    const item = window.document.createElement("li");
    item.textContent = text;
    item.className = kind;
    element("lines").append(item);
}

/// Shows a report.
function show(report) {
    element("lines").replaceChildren();
    if (report.adapter !== null) {
        const { vendor, architecture, device, description } = report.adapter;
        const name = [vendor, architecture, device, description].filter((part) => part).join(" ");
        const level = report.probe?.guards;
        line(`adapter: ${name || "without a name"}${level == null ? "" : `, guard level ${level}`}`, "");
    }
    for (const { engine, launches, translated, words, same, compile_ms, run_ms, gpu_ms, difference, error } of report.runs) {
        const verdict = same
            ? `the same ${counted(words, "word", "words")}`
            : difference === undefined ? `not run: ${error}` : sentence(difference);
        const gpu = gpu_ms === undefined ? "" : `, ${gpu_ms.toFixed(1)} of them on the GPU`;
        const times = same ? ` (${run_ms.toFixed(0)} ms${gpu}, after ${compile_ms.toFixed(0)} ms of compiling)` : "";
        const some = engine === "translated" && translated < launches;
        const part = some ? ` (${translated} of ${counted(launches, "launch", "launches")})` : "";
        line(`${engine}${part}: ${verdict}${times}`, same ? "same" : "wrong");
    }
    for (const { engine, reason } of report.refused) {
        line(`${engine}: has no plan: ${reason}`, "");
    }
    if (report.error !== null) {
        line(report.error, "wrong");
    }
    element("report").value = JSON.stringify(report, null, 1);
    element("copied").textContent = "";
    element("result").hidden = false;
}

async function copy() {
    const text = element("report");
    text.closest("details").open = true;
    text.select();
    try {
        await navigator.clipboard.writeText(text.value);
        element("copied").textContent = "it is copied";
    } catch {
        element("copied").textContent = "it is selected; copy it";
    }
}

// A page that shows this one in a frame cannot hear its keys, and is the playground.
if (window.parent !== window) element("playground")?.remove();
addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && window.parent !== window) window.parent.postMessage(key, "*");
});
const witness = await unpacked();
element("run").onclick = async () => {
    const say = (text) => (element("state").textContent = text);
    element("run").disabled = true;
    element("found").replaceChildren();
    show(await report(witness, say));
    say("done");
    element("run").disabled = false;
    // A button that is disabled loses the focus.
    if (window.document.activeElement === window.document.body) {
        element("run").focus();
    }
};
element("copy").onclick = copy;
element("state").textContent = "";
element("run").disabled = false;
export {};
