// The launches of a job: each pass has as many as it is repeated.

export class Launches {
    constructor(passes) {
        this.passes = passes;
    }

    /** The number of launches of the first passes. */
    before(pass) {
        return this.passes.slice(0, pass).reduce((sum, { repeat }) => sum + repeat, 0);
    }

    domain(launch) {
        return this.passes.find((_, n) => launch < this.before(n + 1)).domain;
    }

    /** Whether a point is in the domain of a launch. */
    runs(launch, [i, j]) {
        const [i0, j0, i1, j1] = this.domain(launch);
        return i >= i0 && i <= i1 && j >= j0 && j <= j1;
    }

    /** The last launch of the last pass that is wanted most, else of all. */
    last(...wanted) {
        const found = wanted.map((want) => this.passes.findLastIndex(want)).find((pass) => pass >= 0);
        return this.before((found ?? this.passes.length - 1) + 1) - 1;
    }

    /** The point of a launch that is nearest to a point; without one, that in the middle. */
    nearest(launch, point) {
        const [i0, j0, i1, j1] = this.domain(launch);
        const [i, j] = point ?? [(i0 + i1) >> 1, (j0 + j1) >> 1];
        const inside = (n, low, high) => Math.max(low, Math.min(n, high));
        return [inside(i, i0, i1), inside(j, j0, j1)];
    }
}
