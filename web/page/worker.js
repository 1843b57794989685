// The worker that runs the module. A message is the bytes that web/src/message.rs describes.
// The page ends the worker to stop it.

let exports;
let panic = "";

const imports = {
    ctm: {
        now: () => performance.now(),
        failed: (text, length) => {
            panic = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, text, length));
        },
    },
};

function call(request) {
    const room = exports.room(request.length);
    new Uint8Array(exports.memory.buffer, room, request.length).set(request);
    const length = exports.call();
    return new Uint8Array(exports.memory.buffer, exports.answer(), length).slice();
}

self.onmessage = async ({ data }) => {
    if (data.module) {
        exports = new WebAssembly.Instance(data.module, imports).exports;
        self.postMessage({ ready: true });
        return;
    }
    try {
        const answer = call(data.request);
        self.postMessage({ id: data.id, answer }, { transfer: [answer.buffer] });
    } catch (error) {
        // A stack that ends is a RangeError. The module is of no use afterwards.
        const deep = error instanceof RangeError;
        const why = deep ? "the source nests deeper than this browser's stack" : panic || String(error);
        self.postMessage({ id: data.id, failed: why });
    }
};
