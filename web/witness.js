// The script of an exported page (`ctm export`), after run.js: it finds the guard level of the visitor's
// GPU, runs the job's plans at that level, compares every word, and makes a report.

const hex = (word) => `0x${word.toString(16).padStart(8, "0")}`;
const counted = (n, one, many) => `${n} ${n === 1 ? one : many}`;
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

/// Runs the plans of a guard level. Returns the runs of a report.
async function runs(device, witness, guards, say) {
    const expected = words(witness, witness.expected);
    const done = [];
    for (const plan of witness.plans.filter((plan) => plan.engine !== "probe" && plan.guards === guards)) {
        const { engine, launches, translated } = plan;
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
        } catch (error) {
            outcome.error = error.message;
        }
        done.push(outcome);
    }
    return done;
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
        const { device, adapter, limits } = await open();
        Object.assign(report, { adapter, limits });
        say("probing its arithmetic");
        report.probe = await probe(device, witness);
        if (report.probe.guards === null) {
            report.error = "this GPU does not give the exact bits at any guard level";
        } else {
            report.runs = await runs(device, witness, report.probe.guards, say);
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

// A page that shows this one in a frame cannot hear its keys.
addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && window.parent !== window) window.parent.postMessage(key, "*");
});
const witness = await unpacked();
element("run").onclick = async () => {
    const say = (text) => (element("state").textContent = text);
    element("run").disabled = true;
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
