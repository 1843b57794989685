// The picture: pixels on a canvas, a cross on a point, the value below the pointer.

/** Paints the pixels of a picture. @param {HTMLCanvasElement} canvas @param {{ width: number, height: number }} size
 *  @param {Uint8Array} pixels @returns {boolean} whether the canvas has another size now */
export function paint(canvas, { width, height }, pixels) {
    const other = canvas.width !== width || canvas.height !== height;
    if (other) Object.assign(canvas, { width, height });
    canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
    return other;
}

export class Picture {
    /** `chosen(column, row)` is called with a point; `asked(column, row)` with one to describe. */
    constructor({ canvas, cross, frame, chosen, asked }) {
        this.canvas = canvas;
        this.cross = cross;
        this.frame = frame;
        this.chosen = chosen;
        this.asked = asked;
        this.shown = null;
        this.point = null;
        canvas.addEventListener("pointermove", (event) => this.asked(...this.at(event)));
        canvas.addEventListener("click", (event) => this.choose(...this.at(event)));
        canvas.addEventListener("keydown", (event) => this.key(event));
        new ResizeObserver(() => this.fit()).observe(frame);
    }

    /** Shows a picture of `{ width, height, upward }` with its pixels. */
    show(shown, pixels) {
        this.shown = shown;
        if (paint(this.canvas, shown, pixels)) this.fit();
        else this.place();
    }

    /** Makes the picture as large as its frame. */
    fit() {
        const { width, height } = this.canvas;
        const style = getComputedStyle(this.frame);
        const room = (size, ...sides) => sides.reduce((left, side) => left - parseFloat(style[side]), size);
        const columns = room(this.frame.clientWidth, "paddingLeft", "paddingRight");
        const rows = room(this.frame.clientHeight, "paddingTop", "paddingBottom");
        const scale = Math.min(columns / width, rows / height);
        Object.assign(this.canvas.style, { width: `${scale * width}px`, height: `${scale * height}px` });
        this.place();
    }

    clear() {
        this.shown = null;
        this.canvas.width = this.canvas.width;
        this.cross.hidden = true;
    }

    /** The column and the row of the buffer below the pointer. */
    at(event) {
        const box = this.canvas.getBoundingClientRect();
        const { width, height } = this.canvas;
        const column = Math.floor(((event.clientX - box.left) / box.width) * width);
        const row = Math.floor(((event.clientY - box.top) / box.height) * height);
        return [this.clamp(column, width), this.flip(this.clamp(row, height))];
    }

    clamp(n, size) {
        return Math.max(0, Math.min(n, size - 1));
    }

    /** A row of the picture to one of the buffer, and back. */
    flip(row) {
        return this.shown?.upward ? this.canvas.height - 1 - row : row;
    }

    choose(column, row) {
        if (this.shown) this.chosen(column, row);
    }

    key(event) {
        const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
        if (!this.shown) return;
        const { width, height } = this.canvas;
        const [column, row] = this.point ?? [width >> 1, this.flip(height >> 1)];
        if (event.key === "Enter") this.choose(column, row);
        const move = moves[event.key];
        if (!move || event.altKey) return;
        event.preventDefault();
        const far = event.shiftKey ? 8 : 1;
        const at = [this.clamp(column + far * move[0], width), this.clamp(this.flip(row) + far * move[1], height)];
        this.mark([at[0], this.flip(at[1])]);
        this.asked(...this.point);
    }

    /** Puts the cross on a point; `null`: on none. `group`: the corner and the size of a group around it. */
    mark(point, group) {
        this.point = point;
        this.group = group;
        this.place();
    }

    place() {
        this.cross.hidden = !this.point || !this.shown;
        if (this.cross.hidden) return;
        const { width, height } = this.canvas;
        const box = this.canvas.getBoundingClientRect();
        const outer = this.frame.getBoundingClientRect();
        const [x, y] = [box.width / width, box.height / height];
        // The part of the group that is in the picture.
        const [i, j, columns, rows] = this.group ?? [...this.point, 1, 1];
        const [right, bottom] = [Math.min(i + columns, width), Math.min(j + rows, height)];
        this.cross.hidden = right <= i || bottom <= j;
        const top = this.shown.upward ? height - bottom : j;
        Object.assign(this.cross.style, {
            left: `${box.left - outer.left + i * x}px`,
            top: `${box.top - outer.top + top * y}px`,
            width: `${Math.max((right - i) * x, 3)}px`,
            height: `${Math.max((bottom - j) * y, 3)}px`,
        });
    }
}
