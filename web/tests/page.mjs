// What the page's modules need of a browser to be run in node: elements that take everything, and parts of the page that
// note what is asked of them.

import { app } from "../page/app.js";
import { own } from "../page/share.js";

/** An element without a tree. */
function element() {
    const listeners = {};
    return {
        dataset: {},
        children: [],
        classList: { add() {}, remove() {}, toggle() {}, contains: () => false },
        addEventListener: (name, does) => (listeners[name] = does),
        setAttribute() {},
        append(...children) {
            this.children.push(...children);
        },
        remove() {},
        replaceChildren(...children) {
            this.children = children;
        },
        querySelector: () => null,
    };
}

const elements = new Map();

/** The element of an id, which is made when it is first wanted. @param {string} id */
export function byId(id) {
    if (!elements.has(id)) elements.set(id, element());
    return elements.get(id);
}

/**
 * A page with a document. `answers`: a function from a request to an answer for each kind of request. Returns what
 * was asked of the worker and of the parts of the page, the addresses that the page had, and a promise of the
 * first of them.
 */
export function page(answers, doc = {}) {
    elements.clear();
    const [asked, addresses, shown] = [[], [], []];
    const noted = (name) => (...values) => {
        shown.push([name, ...values]);
    };
    globalThis.document = { body: element(), getElementById: byId, createElement: element };
    let arrived;
    const addressed = new Promise((done) => (arrived = done));
    const replaceState = (_state, _title, address) => {
        addresses.push(address);
        arrived(address);
    };
    globalThis.location = { hash: "", href: "" };
    globalThis.history = { replaceState, pushState: noted("page") };
    const engine = {
        generation: 1,
        busy: false,
        async ask(request, blobs) {
            const [[kind, value]] = Object.entries(request);
            asked.push([kind, value, blobs]);
            return answers[kind](value, blobs);
        },
        stop: noted("stop"),
    };
    Object.assign(app, {
        doc: { main: "a.toml", path: "a.frag", example: "", files: own({ "a.toml": "one", "a.frag": "two" }), arrays: own({}), ...doc },
        examples: [],
        engine,
        exampleList: { name: noted("name") },
        picture: { mark() {} },
        editor: { open: noted("edit"), clear() {}, problems() {}, counts() {}, next() {} },
        stepper: { state: null, show: noted("step") },
        player: { inflight: null, show: noted("value"), pause: noted("pause"), renew: noted("renew") },
        form: { show: noted("form") },
        opened: null,
        ran: null,
        pictures: [],
        version: 1,
        held: "",
        timer: 0,
    });
    return { asked, addresses, addressed, shown };
}
