// Runs plans of launches with WebGPU. An ES module without imports, which a page can also contain:
// `ctm export` does that. crates/shade/src/plan.rs makes plans.
//
// # Documents
// A document is JSON. Sizes and positions are in bytes, words are little-endian.
//
//     {
//       "contents": ["base64", ...],     bytes that plans name by number, each once
//       "texts": ["wgsl", ...],          texts of shaders, likewise
//       "plans": [PLAN, ...]
//     }
//
//     PLAN = {
//       "engine": "interpreter" | "translated" | "probe",
//       "guards": "0" | "1" | "2",       the guard level that its texts are for
//       "shaders": [{ "text": n, "entry": name, "bindings": [[number, "uniform" | "read" | "write"], ...] }],
//       "buffers": [{ "bytes": size, "content": n }, ...],
//                                        without a content they start with zeros; a shorter one is followed by zeros
//       "steps": [STEP, ...],            in order
//       "read": n,                       the buffer whose words are the result
//       "launches": n, "translated": n   the number of launches, and of those that run as translated programs
//     }
//
// A step is an object with one key:
//
//     { "dispatch": { "shader": n, "bindings": [[number, buffer, bytes], ...], "groups": [x, y] } }
//                                        `bytes` 0: all of the buffer
//     { "copy": { "from": buffer, "at": n, "to": buffer, "to_at": n, "bytes": n } }
//     { "clear": { "buffer": n, "at": n, "bytes": n } }
//     { "write": { "buffer": n, "at": n, "word": value } }
//     { "check": { "buffer": n, "at": n, "message": text } }
//                                        the word there must be 0
//     { "repeat": { "buffer": n, "at": n, "steps": [...] } }
//                                        clears the word, runs the steps, and starts over until the word stays 0
//     { "when": { "buffer": n, "at": n, "steps": [...] } }
//                                        runs the steps if the word is not 0
//     { "log": { "results": buffer, "at": n, "capacity": entries, "record": buffer, "record_at": n, "steps": [...] } }
//                                        runs the steps, which write a log to `results` from `at` on. The first
//                                        word of `results` is the number of entries. If it is above the capacity,
//                                        makes the buffer larger, writes the new capacity to `record` at
//                                        `record_at`, and runs the steps again. Keeps the entries for "apply".
//     { "apply": { "buffer": n, "base": address, "tile": [width, height] } }
//                                        applies the kept entries to the buffer, which begins at the address
//
// An entry of a log has nine words: crates/shade/src/abi/results.rs, `Entry`.

/// The kinds of entries: LOG_ in crates/shade/src/abi/results.rs. `ctm` tests that they are the same.
const LOG = { UNCACHED: 0, OUTPUT: 1, CONDITION: 2, DROP_POINT: 3, DROP_GROUP: 4, FAULT: 5, WORDS: 9 };

/// What an adapter has beyond the guaranteed limits and plans may need.
const LIMITS = [
    "maxBufferSize",
    "maxStorageBufferBindingSize",
    "maxStorageBuffersPerShaderStage",
    "maxComputeWorkgroupStorageSize",
];

/// The number of dispatches after which the page waits for the GPU: it must not appear to hang.
const AHEAD = 16;

/// Why a plan did not run to its end.
export class Failed extends Error {}

/// Opens the browser's GPU: `{ device, adapter, limits }`, the last two for reports.
export async function openDevice() {
    if (!navigator.gpu) {
        throw new Failed("this browser has no WebGPU");
    }
    const found = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!found) {
        throw new Failed("this browser offers no GPU (WebGPU)");
    }
    const limits = Object.fromEntries(LIMITS.map((name) => [name, found.limits[name]]));
    const requiredFeatures = /** @type {GPUFeatureName[]} */ (["timestamp-query"]).filter((name) => found.features.has(name));
    const device = await found.requestDevice({ requiredLimits: limits, requiredFeatures });
    const { vendor, architecture, device: model, description } = found.info;
    return { device, adapter: { vendor, architecture, device: model, description }, limits };
}

/// The bytes of base64.
export function bytes(base64) {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

/// The words of a document's content.
export function words(document, content) {
    const found = bytes(document.contents[content]);
    return new Uint32Array(found.buffer, 0, found.length >> 2);
}

/// Runs a plan of a document. Returns the words of the buffer that it reads and the milliseconds that its
/// shaders took to compile and its steps to run, and that the GPU worked by its own clock, if it has one. `options.signal` ends it between dispatches;
/// `options.progress(done)` is told the number of dispatches now and then.
export async function run(device, document, plan, options = {}) {
    const run = new Run(device, document, plan, options);
    try {
        return await run.all();
    } finally {
        run.buffers.forEach((buffer) => buffer.destroy());
    }
}

/// The first word that differs, as its number; undefined if all are equal.
export function difference(expected, found) {
    if (expected.length !== found.length) {
        throw new Failed(`${found.length} words where ${expected.length} are expected`);
    }
    const at = expected.findIndex((word, n) => word !== found[n]);
    return at < 0 ? undefined : at;
}

/// Finds the guard level that the device needs: the first of `document.probe.plans` whose words are the
/// expected ones. Returns `{ guards, passed, rejected }`; `guards` is null if there is none.
///
///     document.probe = {
///       "plans": [plan, ...],            numbers of plans, the cheapest level first
///       "functions": [[name, operands], ...],
///       "operands": content,             four words of each tuple
///       "expected": content              the first function's words for all tuples, then the next one's
///     }
export async function probe(device, document) {
    const { plans, functions, operands, expected } = document.probe;
    const tuples = words(document, operands);
    const right = words(document, expected);
    const count = tuples.length / 4;
    const rejected = [];
    for (const number of plans) {
        const plan = document.plans[number];
        const found = await run(device, document, plan);
        const at = difference(right, found.words);
        if (at === undefined) {
            return { guards: plan.guards, passed: right.length, rejected };
        }
        const [name, arity] = functions[Math.floor(at / count)];
        const from = 4 * (at % count);
        rejected.push({
            guards: plan.guards,
            function: name,
            operands: Array.from(tuples.slice(from, from + arity)),
            got: found.words[at],
            expected: right[at],
        });
    }
    return { guards: null, passed: 0, rejected };
}

class Run {
    constructor(device, document, plan, options) {
        this.device = device;
        this.document = document;
        this.plan = plan;
        this.options = options;
        this.encoder = null;
        this.dispatches = 0;
        this.entries = [];
        this.checks = [];
        // The GPU's clock at the beginning and at the end of each dispatch, until the next wait.
        const count = 2 * AHEAD;
        this.times = device.features.has("timestamp-query") ? device.createQuerySet({ type: "timestamp", count }) : null;
        this.gpu = this.times ? 0 : undefined;
        this.lost = null;
        device.lost.then(({ message }) => (this.lost = message || "no reason given"));
        this.buffers = [];
    }

    async all() {
        const { device, plan } = this;
        for (const scope of ["validation", "out-of-memory"]) {
            device.pushErrorScope(scope);
        }
        const started = performance.now();
        let compiled = started;
        let result, failure;
        try {
            this.pipelines = await Promise.all(plan.shaders.map((shader) => this.pipeline(shader)));
            compiled = performance.now();
            this.buffers = plan.buffers.map((buffer) => this.buffer(buffer.bytes, buffer.content));
            this.checked = this.buffer(4 * Math.max(1, checks(plan.steps)));
            this.buffers.push(this.checked);
            if (this.times) {
                this.ticks = device.createBuffer({ size: 16 * AHEAD, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
                this.buffers.push(this.ticks, this.times);
            }
            await this.steps(plan.steps);
            await this.read_times(this.dispatches % AHEAD);
            const verdicts = await this.read(this.checked, 0, this.checked.size);
            this.checks.forEach((message, n) => {
                if (verdicts[n] !== 0) {
                    throw new Failed(message);
                }
            });
            const { bytes } = plan.buffers[plan.read];
            result = await this.read(this.buffers[plan.read], 0, bytes);
        } catch (error) {
            failure = error;
        }
        const ended = performance.now();
        const errors = [await device.popErrorScope(), await device.popErrorScope()];
        const error = errors.find((error) => error);
        if (this.lost !== null || error) {
            throw new Failed(this.lost !== null ? `the device is lost: ${this.lost}` : error.message);
        }
        if (failure) {
            throw failure;
        }
        return { words: result, compile: compiled - started, run: ended - compiled, gpu: this.gpu };
    }

    async pipeline({ text, entry, bindings }) {
        const { device } = this;
        const module = device.createShaderModule({ code: this.document.texts[text] });
        const types = { uniform: "uniform", read: "read-only-storage", write: "storage" };
        const layout = device.createBindGroupLayout({
            entries: bindings.map(([binding, kind]) => {
                return { binding, visibility: GPUShaderStage.COMPUTE, buffer: { type: types[kind] } };
            }),
        });
        const pipeline = await device.createComputePipelineAsync({
            layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
            compute: { module, entryPoint: entry },
        });
        return { layout, pipeline };
    }

    /// A buffer of some bytes with a content, if it has one.
    buffer(size, content) {
        const { COPY_DST, COPY_SRC, STORAGE, UNIFORM } = GPUBufferUsage;
        const buffer = this.device.createBuffer({ size, usage: COPY_DST | COPY_SRC | STORAGE | UNIFORM });
        if (content !== undefined) {
            this.device.queue.writeBuffer(buffer, 0, bytes(this.document.contents[content]));
        }
        return buffer;
    }

    commands() {
        return (this.encoder ??= this.device.createCommandEncoder());
    }

    submit() {
        if (this.encoder) {
            this.device.queue.submit([this.encoder.finish()]);
            this.encoder = null;
        }
    }

    async steps(steps) {
        for (const step of steps) {
            const [[kind, what]] = Object.entries(step);
            await this[`do_${kind}`](what);
        }
    }

    async do_dispatch({ shader, bindings, groups }) {
        if (this.options.signal?.aborted) {
            throw new Failed("it was stopped");
        }
        const { layout, pipeline } = this.pipelines[shader];
        const group = this.device.createBindGroup({
            layout,
            entries: bindings.map(([binding, buffer, bytes]) => {
                const size = bytes === 0 ? undefined : bytes;
                return { binding, resource: { buffer: this.buffers[buffer], size } };
            }),
        });
        const first = 2 * (this.dispatches % AHEAD);
        const timestampWrites = this.times
            ? { querySet: this.times, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 }
            : undefined;
        const pass = this.commands().beginComputePass({ timestampWrites });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(...groups);
        pass.end();
        this.submit();
        this.dispatches += 1;
        if (this.dispatches % AHEAD === 0) {
            await this.device.queue.onSubmittedWorkDone();
            await this.read_times(AHEAD);
            this.options.progress?.(this.dispatches);
        }
    }

    /// Adds the times of the last dispatches, in nanoseconds on the GPU, to the sum in milliseconds.
    async read_times(count) {
        if (this.times && count > 0) {
            this.commands().resolveQuerySet(this.times, 0, 2 * count, this.ticks, 0);
            const ticks = new BigUint64Array((await this.read(this.ticks, 0, 16 * count)).buffer);
            for (let n = 0; n < ticks.length; n += 2) {
                this.gpu += Math.max(0, Number(ticks[n + 1] - ticks[n])) / 1e6;
            }
        }
    }

    do_copy({ from, at, to, to_at, bytes }) {
        this.commands().copyBufferToBuffer(this.buffers[from], at, this.buffers[to], to_at, bytes);
    }

    do_clear({ buffer, at, bytes }) {
        this.commands().clearBuffer(this.buffers[buffer], at, bytes);
    }

    do_write({ buffer, at, word }) {
        this.submit();
        this.device.queue.writeBuffer(this.buffers[buffer], at, new Uint32Array([word]));
    }

    do_check({ buffer, at, message }) {
        const to = 4 * this.checks.push(message) - 4;
        this.commands().copyBufferToBuffer(this.buffers[buffer], at, this.checked, to, 4);
    }

    async do_repeat({ buffer, at, steps }) {
        do {
            this.do_clear({ buffer, at, bytes: 4 });
            await this.steps(steps);
        } while ((await this.word(buffer, at)) !== 0);
    }

    async do_when({ buffer, at, steps }) {
        if ((await this.word(buffer, at)) !== 0) {
            await this.steps(steps);
        }
    }

    async do_log({ results, at, capacity, record, record_at, steps }) {
        for (;;) {
            await this.steps(steps);
            const logged = await this.word(results, 0);
            if (logged <= capacity) {
                const words = logged === 0 ? [] : await this.read(this.buffers[results], at, 4 * LOG.WORDS * logged);
                for (let n = 0; n < words.length; n += LOG.WORDS) {
                    this.entries.push(words.slice(n, n + LOG.WORDS));
                }
                return;
            }
            capacity = logged;
            this.buffers[results].destroy();
            this.buffers[results] = this.buffer(at + 4 * LOG.WORDS * capacity);
            this.do_write({ buffer: record, at: record_at, word: capacity });
        }
    }

    /// What crates/machine/src/engine/writes.rs does with writes, after the drops of results.rs.
    async do_apply({ buffer, base, tile: [width, height] }) {
        const entries = this.entries.map(([kind, launch, point, order, address, ...data]) => {
            const [i, j] = [point & 0xfff, point >>> 12];
            return { kind: kind & 0xffff, mask: kind >>> 16, i, j, order, address, data };
        });
        this.entries = [];
        const of = (kind) => entries.filter((entry) => entry.kind === kind);
        const key = ({ i, j }) => `${i} ${j}`;
        const group = ({ i, j }) => `${i - (i % width)} ${j - (j % height)}`;
        const points = new Set(of(LOG.DROP_POINT).map(key));
        const groups = new Set(of(LOG.DROP_GROUP).map(key));
        const kept = of(LOG.UNCACHED).filter((entry) => !points.has(key(entry)) && !groups.has(group(entry)));
        const size = this.buffers[buffer].size;
        const memory = new Uint8Array((await this.read(this.buffers[buffer], 0, size)).buffer);
        for (const writes of [kept, of(LOG.OUTPUT), of(LOG.CONDITION)]) {
            writes.sort((a, b) => a.j - b.j || a.i - b.i || a.order - b.order);
            for (const { mask, address, data } of writes) {
                const from = new Uint8Array(new Uint32Array(data).buffer);
                for (let n = 0; n < from.length; n += 1) {
                    if ((mask >> n) & 1) {
                        memory[address - base + n] = from[n];
                    }
                }
            }
        }
        this.device.queue.writeBuffer(this.buffers[buffer], 0, memory);
    }

    async word(buffer, at) {
        return (await this.read(this.buffers[buffer], at, 4))[0];
    }

    /// The words of a part of a buffer, after all steps so far.
    async read(buffer, at, size) {
        const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
        const copy = this.device.createBuffer({ size, usage });
        this.commands().copyBufferToBuffer(buffer, at, copy, 0, size);
        this.submit();
        await copy.mapAsync(GPUMapMode.READ);
        const found = new Uint32Array(copy.getMappedRange()).slice();
        copy.destroy();
        return found;
    }
}

/// The number of checks in steps.
function checks(steps) {
    const inside = (step) => Object.values(step)[0].steps ?? [];
    return steps.reduce((sum, step) => sum + ("check" in step ? 1 : 0) + checks(inside(step)), 0);
}
