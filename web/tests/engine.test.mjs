// Requests and answers, with a worker that the test answers for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, pack, Stopped } from "../page/engine.js";

const workers = [];

globalThis.Worker = class {
    constructor() {
        this.messages = [];
        workers.push(this);
    }

    postMessage(message) {
        this.messages.push(message);
    }

    terminate() {
        this.ended = true;
    }
};

/** An engine, and its worker of now. */
function start() {
    const engine = new Engine("", "the module");
    return { engine, worker: () => workers.at(-1) };
}

/** A message as web/src/message.rs describes it. */
function message(value, blobs = []) {
    const text = Buffer.from(JSON.stringify(value));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(text.length);
    return new Uint8Array(Buffer.concat([size, text, ...blobs]));
}

/** The worker answers a request. */
const answer = (worker, n, bytes) => worker.onmessage({ data: { id: worker.messages[n].id, answer: bytes } });

test("files are packed one after the other", () => {
    const { list, blobs } = pack(new Map([["a", "é"], ["b", Uint8Array.of(1, 2, 3)], ["c", ""]]));
    assert.deepEqual(list, [
        { path: "a", bytes: { start: 0, length: 2 } },
        { path: "b", bytes: { start: 2, length: 3 } },
        { path: "c", bytes: { start: 5, length: 0 } },
    ]);
    assert.deepEqual(Buffer.concat(blobs), Buffer.of(0xc3, 0xa9, 1, 2, 3));
});

test("a request reaches the worker, and its answer the caller", async () => {
    const { engine, worker } = start();
    assert.equal(worker().messages[0].module, "the module");
    const asked = engine.ask({ run: { name: "ü" } }, [Uint8Array.of(9, 8)]);
    assert.ok(engine.busy);
    assert.deepEqual(worker().messages[1].request, message({ run: { name: "ü" } }, [Uint8Array.of(9, 8)]));
    answer(worker(), 1, message({ name: "ä" }, [Uint8Array.of(5, 6, 7)]));
    const { name, blob } = await asked;
    assert.equal(name, "ä");
    assert.deepEqual(blob({ start: 1, length: 2 }), Uint8Array.of(6, 7));
    assert.ok(!engine.busy);
});

test("answers find their requests", async () => {
    const { engine, worker } = start();
    const asked = [engine.ask({ run: {} }), engine.ask({ run: {} })];
    answer(worker(), 2, message({ n: 2 }));
    answer(worker(), 1, message({ n: 1 }));
    assert.deepEqual((await Promise.all(asked)).map(({ n }) => n), [1, 2]);
});

test("an error is of its request alone", async () => {
    const { engine, worker } = start();
    const asked = engine.ask({ run: {} });
    const next = engine.ask({ run: {} });
    answer(worker(), 1, message({ error: "no such file" }));
    await assert.rejects(asked, { message: "no such file" });
    answer(worker(), 2, message({}));
    await next;
    assert.equal(engine.generation, 1);
});

test("a module that fails is started again, and what waits is given up", async () => {
    const { engine, worker } = start();
    const first = worker();
    const asked = engine.ask({ run: {} });
    const next = engine.ask({ run: {} });
    first.onmessage({ data: { id: first.messages[1].id, failed: "the stack" } });
    await assert.rejects(asked, (error) => error.message === "the stack" && !(error instanceof Stopped));
    await assert.rejects(next, Stopped);
    assert.ok(first.ended && worker() !== first);
    assert.equal(engine.generation, 2);
});

test("stopping ends what runs, and only then the worker", async () => {
    const { engine, worker } = start();
    engine.stop();
    assert.equal(engine.generation, 1);
    const first = worker();
    const asked = engine.ask({ run: {} });
    engine.stop();
    await assert.rejects(asked, Stopped);
    assert.ok(first.ended);
    // The next worker answers.
    const next = engine.ask({ run: {} });
    answer(worker(), 1, message({ n: 3 }));
    assert.equal((await next).n, 3);
});

test("the limit is that of the request whose turn it is", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { engine, worker } = start();
    const slow = engine.ask({ check: { seconds: 60 } });
    const quick = engine.ask({ run: { seconds: 10 } });
    t.mock.timers.tick(50_000);
    answer(worker(), 1, message({}));
    await slow;
    t.mock.timers.tick(11_000);
    assert.equal(engine.generation, 1);
    t.mock.timers.tick(1_000);
    await assert.rejects(quick, { message: "stopped by the time limit of 10 s" });
    assert.equal(engine.generation, 2);
    // Without a request there is no limit.
    t.mock.timers.tick(100_000);
    assert.equal(engine.generation, 2);
});
