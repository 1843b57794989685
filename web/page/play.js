// Time: frame after frame of a shader whose time, counter or pointer the page knows by name, or of a job that feeds back.

import { $, app, sayError, say } from "./app.js";
import { Stopped } from "./engine.js";
import { hold, PATIENCE } from "./module.js";
import { showPicture, showRun } from "./panes.js";

/** Steps a second of a job that feeds back, at speed 1, and the most at once. */
const STEPS = 20;
const AT_ONCE = 4;
/** The longest that time goes on between two frames, in milliseconds. */
const LONGEST = 250;
/** Milliseconds between two texts of the clock. */
const SAID = 250;

/**
 * What a frame knows: seconds, seconds since the frame before, frames, frames a second, the pointer.
 * @typedef {{ time: number, delta: number, frames: number, rate: number, mouse: number[] }} Now
 */

/** Names of the last part of a uniform or constant, and their numbers. @type {[RegExp, (now: Now) => number[]][]} */
const CLOCKS = [
    [/^(i|u_?)?(global_?)?time$/i, ({ time }) => [time]],
    [/^(i|u_?)?(time_?delta|delta_?time)$/i, ({ delta }) => [delta]],
    [/^(i|u_?)?frame(_?(count|number))?$/i, ({ frames }) => [frames]],
    [/^(i|u_?)?frame_?rate$/i, ({ rate }) => [rate]],
    [/^(i|u_?)?date$/i, () => date()],
];
const POINTER = /^(i|u_?)?mouse(_?pos(ition)?)?$/i;

/** Year, month from 0, day, seconds of the day. */
function date() {
    const now = new Date();
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
    return [now.getFullYear(), now.getMonth(), now.getDate(), (now.getTime() - midnight.getTime()) / 1000];
}

/** The last part of a name: of `settings.time` it is `time`. @param {string} name */
const last = (name) => name.split(".").pop();

/** The values that follow the clock and those that follow the pointer, as functions from what a frame knows.
 *  @typedef {{ name: string, numbers: (now: Now) => number[], held?: boolean }} Follower
 *  @param {import("./app.js").Value[]} values @returns {{ clocks: Follower[], pointers: Follower[] }} */
export function followers(values) {
    const clocks = [];
    const pointers = [];
    for (const { name, columns, rows, of } of values) {
        if (columns !== 1 || [...clocks, ...pointers].some((one) => one.name === name)) continue;
        const [, numbers] = CLOCKS.find(([pattern]) => pattern.test(last(name))) ?? [];
        const fitting = (all) => (of === "constant" ? all : all.slice(0, rows));
        if (numbers && (of === "constant" || numbers({ time: 0, delta: 0, frames: 0, rate: 0, mouse: [] }).length === rows)) {
            clocks.push({ name, numbers });
        } else if (POINTER.test(last(name)) && rows > 1) {
            pointers.push({ name, numbers: ({ mouse }) => fitting(mouse), held: /^i/.test(last(name)) });
        }
    }
    return { clocks, pointers };
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Player {
    constructor() {
        this.on = false;
        this.speed = 1;
        this.clocks = [];
        this.pointers = [];
        this.mouse = [0, 0, 0, 0];
        /** Values that the form shows and the job's text does not have yet. */
        this.tried = new Map();
        this.shownAt = [];
        this.said = 0;
        this.begin();
        $("play").addEventListener("click", () => this.toggle());
        $("rewind").addEventListener("click", () => this.rewind());
        $("speed").addEventListener("change", ({ target }) => {
            this.speed = Number(target.value);
        });
        for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
            $("canvas").addEventListener(name, (event) => this.point(event));
        }
    }

    /** The time starts anew. */
    begin() {
        this.time = this.first ?? 0;
        this.delta = this.frames = this.owed = 0;
        this.inflight = null;
    }

    /** The document ran. @param {boolean} fresh whether it is another one, which moves by itself */
    renew(fresh) {
        const { form, feeds_back } = app.opened;
        const { values } = form;
        Object.assign(this, followers(values));
        /** What the job says itself, to go back to. */
        const follows = ({ name }) => [...this.clocks, ...this.pointers].some((one) => one.name === name);
        this.own = values.filter(follows).map(({ name, numbers, pass }) => [name, numbers.map((n) => n ?? 0), pass]);
        const time = values.find(({ name }) => CLOCKS[0][0].test(last(name)));
        this.first = time?.numbers[0] ?? 0;
        this.feeds = feeds_back;
        this.tried.clear();
        if (fresh) {
            this.mouse = [0, 0, 0, 0];
            this.begin();
        }
        $("film").hidden = !this.moves && this.pointers.length === 0;
        $("play").hidden = $("speed").hidden = !this.moves;
        if (!this.moves) this.pause();
        else if (fresh && this.clocks.length > 0 && !calm()) this.play();
        this.say();
    }

    get moves() {
        return this.feeds || this.clocks.length > 0;
    }

    toggle() {
        if (this.on) this.pause();
        else this.play();
    }

    play() {
        if (this.on || !this.moves) return;
        this.on = true;
        this.label();
        this.running = this.loop();
    }

    pause() {
        this.on = false;
        this.shownAt = [];
        this.label();
    }

    label() {
        $("play").textContent = this.on ? "Pause" : "Play";
        document.body.dataset.playing = String(this.on);
        this.say();
    }

    /** Stops the time for something else. A job that feeds back shows its own result again. */
    async rest() {
        if (this.on) this.pause();
        await this.inflight;
        if (this.feeds && this.frames > 0) await this.rewind();
    }

    /** Goes back to what the job says. */
    async rewind() {
        await this.inflight;
        this.begin();
        try {
            if (!(await hold())) return;
            const answer = await app.engine.ask({ run: { values: this.own, seconds: PATIENCE } });
            app.ran = withBytes(answer, app.version);
            showRun();
            this.say();
        } catch (error) {
            if (!(error instanceof Stopped)) sayError(error);
        }
    }

    /** The pointer is the shader's while it drags; a click without a way is the stepper's. Shadertoy's follows drags
     *  alone, others each move, but for those over a picture that is stepped through. */
    point(event) {
        if (this.pointers.length === 0 || !app.picture.shown) return;
        const at = app.picture.at(event).map((n) => n + 0.5);
        const hovers = !app.stepper.state && this.pointers.some((one) => !one.held);
        if (event.type === "pointerdown") {
            this.down = { at, x: event.clientX, y: event.clientY };
            this.dragged = false;
            // The end of a drag may be outside.
            $("canvas").setPointerCapture(event.pointerId);
            return;
        }
        if (event.type === "pointermove") {
            if (this.down && Math.hypot(event.clientX - this.down.x, event.clientY - this.down.y) > 3) this.dragged = true;
            if (this.down && this.dragged) this.mouse = [...at, ...this.down.at];
            else if (hovers) this.mouse = [...at, 0, 0];
            else return;
        } else {
            this.down = null;
            if (!this.dragged) return;
            // After it the place of the press is negative.
            this.mouse = [this.mouse[0], this.mouse[1], -Math.abs(this.mouse[2]), -Math.abs(this.mouse[3])];
            setTimeout(() => (this.dragged = false));
        }
        if (!this.on && !this.inflight) this.advance();
    }

    /** Shows a value of a pass that is not yet in the job's text.
     *  @param {{ name: string, pass: number, numbers: number[] }} value */
    preview({ name, pass, numbers }) {
        this.tried.set(`${pass} ${name}`, [name, [...numbers], pass]);
        if (CLOCKS[0][0].test(last(name))) this.time = numbers[0];
        if (!this.on && !this.inflight) return this.advance();
        // What is on its way has an older one.
        this.again = !this.on;
    }

    /** Shows a value that the job's text has now, and goes back to it from now on. */
    async show({ name, pass, numbers }) {
        for (const one of this.own) if (one[0] === name && one[2] === pass) one[1] = [...numbers];
        if (CLOCKS[0][0].test(last(name))) this.first = this.time = numbers[0];
        const key = `${pass} ${name}`;
        this.tried.set(key, [name, [...numbers], pass]);
        await this.inflight;
        await this.advance();
        this.tried.delete(key);
    }

    async loop() {
        let before = performance.now();
        while (this.on) {
            await new Promise(requestAnimationFrame);
            if (document.hidden) {
                await new Promise((seen) => document.addEventListener("visibilitychange", seen, { once: true }));
                before = performance.now();
                continue;
            }
            const now = performance.now();
            const passed = (Math.min(now - before, LONGEST) / 1000) * this.speed;
            before = now;
            // The text is being written, or runs for the first time.
            if (!this.on || app.timer || document.body.dataset.done !== document.body.dataset.version) continue;
            this.time += passed;
            this.delta = passed;
            if (!this.feeds) {
                await this.advance();
                continue;
            }
            this.owed = Math.min(this.owed + passed * STEPS, AT_ONCE);
            for (; this.owed >= 1 && this.on; this.owed -= 1) await this.advance();
        }
    }

    /** Shows the next frame. */
    advance() {
        this.inflight = this.frame().finally(() => {
            this.inflight = null;
            if (!this.again) return;
            this.again = false;
            this.advance();
        });
        return this.inflight;
    }

    async frame() {
        const at = app.version;
        try {
            if (!(await hold()) || at !== app.version) return;
            const n = Number($("pictures").value);
            const { frames, time, delta, mouse } = this;
            const now = { frames, time, delta, mouse, rate: this.rate };
            /** @type {[name: string, numbers: number[], pass?: number][]} */
            const values = [...this.clocks, ...this.pointers].map(({ name, numbers }) => [name, numbers(now)]);
            values.push(...[...this.tried.values()].filter(([tried]) => !this.clocks.some(({ name }) => name === tried)));
            const started = performance.now();
            const answer = await app.engine.ask({ frame: { values, picture: n, seconds: PATIENCE } });
            if (at !== app.version || n !== Number($("pictures").value)) return;
            this.took = performance.now() - started;
            app.pictures[n] = { ...answer.shown, bytes: answer.blob(answer.shown.pixels) };
            app.picture.show(app.pictures[n], app.pictures[n].bytes);
            this.frames += 1;
            document.body.dataset.frames = String(this.frames);
            this.shownAt = [...this.shownAt.filter((one) => one > started - 1000), started];
            this.say();
            if (answer.fault) {
                this.pause();
                say(answer.fault, "bad");
            }
        } catch (error) {
            if (error instanceof Stopped) return;
            this.pause();
            sayError(error);
        }
    }

    /** Frames shown in the last second. */
    get rate() {
        return this.shownAt.length;
    }

    say() {
        const now = performance.now();
        if (this.on && now < this.said + SAID) return;
        this.said = now;
        const clock = this.clocks.length > 0 ? `${this.time.toFixed(1)} s` : "";
        const steps = this.feeds ? `step ${this.frames}` : "";
        const rate = this.on && this.rate > 0 ? `${this.rate} frames/s` : "";
        $("clock").textContent = [clock, steps, rate].filter(Boolean).join(" · ");
    }

    /** Another picture was chosen. */
    choose() {
        showPicture();
        if (this.frames > 0 && !this.on && !this.inflight) this.advance();
    }
}

/** A run with the bytes of its pictures. @param {any} answer the module's @param {number} version of the document @returns {any} */
export function withBytes(answer, version) {
    const pictures = answer.pictures.map((one) => ({ ...one, bytes: answer.blob(one.pixels) }));
    return { ...answer, pictures, version };
}
