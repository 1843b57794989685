// The module in its worker, as a function from requests to answers.

/** Seconds that the module may take beyond the limit of a request until the worker is ended: it looks at its limits itself,
 * but not everywhere. */
const GRACE = 2;

/** The request was given up: the worker was stopped. */
export class Stopped extends Error {}

const pad = new TextEncoder();

/** The bytes of a message; `blobs` follow the text. @param {object} value @param {Uint8Array[]} blobs @returns {Uint8Array} */
function encode(value, blobs) {
    const text = pad.encode(JSON.stringify(value));
    const size = blobs.reduce((sum, blob) => sum + blob.length, 0);
    const bytes = new Uint8Array(4 + text.length + size);
    new DataView(bytes.buffer).setUint32(0, text.length, true);
    bytes.set(text, 4);
    let at = 4 + text.length;
    for (const blob of blobs) {
        bytes.set(blob, at);
        at += blob.length;
    }
    return bytes;
}

/**
 * The value of a message, and a function that gives the bytes of a range.
 * @typedef {{ start: number, length: number }} Range
 * @param {Uint8Array} bytes @returns {{ value: any, blob: (range: Range) => Uint8Array }}
 */
function decode(bytes) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const value = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    const blob = (range) => bytes.slice(4 + length + range.start, 4 + length + range.start + range.length);
    return { value, blob };
}

/**
 * Files as a request wants them: paths with ranges, and the bytes.
 * @param {Iterable<[path: string, content: string | Uint8Array]>} files
 * @returns {{ list: { path: string, bytes: Range }[], blobs: Uint8Array[] }}
 */
export function pack(files) {
    const blobs = [];
    let start = 0;
    const list = [...files].map(([path, content]) => {
        const bytes = typeof content === "string" ? pad.encode(content) : content;
        blobs.push(bytes);
        start += bytes.length;
        return { path, bytes: { start: start - bytes.length, length: bytes.length } };
    });
    return { list, blobs };
}

export class Engine {
    /** @param {string} code the worker's script @param {WebAssembly.Module} module */
    constructor(code, module) {
        this.url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
        this.module = module;
        this.pending = new Map();
        this.next = 0;
        /** Counts workers: what one had open, the next one does not. */
        this.generation = 0;
        this.start();
    }

    start() {
        this.generation += 1;
        this.worker = new Worker(this.url);
        this.worker.onmessage = ({ data }) => this.received(data);
        this.worker.onerror = (event) => this.end(new Error(event.message));
        this.worker.postMessage({ module: this.module });
    }

    /** Watches the limit of the request that is answered next: the worker takes one after the other. */
    watch() {
        clearTimeout(this.timer);
        const [first] = this.pending.values();
        if (first?.seconds === undefined) return;
        const late = new Stopped(`stopped by the time limit of ${first.seconds} s`);
        this.timer = setTimeout(() => this.end(late), (first.seconds + GRACE) * 1000);
    }

    received({ id, answer, failed }) {
        if (id === undefined) return;
        const waiting = this.pending.get(id);
        this.pending.delete(id);
        this.watch();
        if (failed !== undefined) {
            waiting?.reject(new Error(failed));
            this.end(new Stopped("the module was started again"));
            return;
        }
        const { value, blob } = decode(answer);
        if (value.error !== undefined) waiting?.reject(new Error(value.error));
        else waiting?.resolve({ ...value, blob });
    }

    end(error) {
        this.worker.terminate();
        const waiting = [...this.pending.values()];
        this.pending.clear();
        this.watch();
        this.start();
        waiting.forEach(({ reject }) => reject(error));
    }

    get busy() {
        return this.pending.size > 0;
    }

    /** Ends what is running. */
    stop() {
        if (this.busy) this.end(new Stopped("stopped"));
    }

    /**
     * The answer to a request, with `blob`, which gives the bytes of a range. Rejects with the module's error, or `Stopped`.
     * @param {object} request what is asked, with one key @param {Uint8Array[]} blobs @returns {Promise<any>}
     */
    ask(request, blobs = []) {
        return new Promise((resolve, reject) => {
            const id = this.next++;
            const [{ seconds }] = Object.values(request);
            this.pending.set(id, { resolve, reject, seconds });
            if (this.pending.size === 1) this.watch();
            const bytes = encode(request, blobs);
            this.worker.postMessage({ id, request: bytes }, [bytes.buffer]);
        });
    }
}
