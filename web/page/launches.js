// The launches of a job: each pass has as many as it is repeated.

/**
 * A pass, as web/src/page.rs gives it. Both corners of its domain, `(i0, j0)` and `(i1, j1)`, are in it.
 * @typedef {object} Pass
 * @property {string} program the path of its program
 * @property {number} repeat
 * @property {[i0: number, j0: number, i1: number, j1: number]} domain
 * @property {number[]} inputs numbers of buffers
 * @property {number[]} outputs
 */

export class Launches {
    /** @param {Pass[]} passes */
    constructor(passes) {
        this.passes = passes;
    }

    /** The number of launches before a pass. @param {number} pass @returns {number} */
    before(pass) {
        return this.passes.slice(0, pass).reduce((sum, { repeat }) => sum + repeat, 0);
    }

    /** The pass of a launch. @param {number} launch @returns {Pass} */
    of(launch) {
        return this.passes.find((_, n) => launch < this.before(n + 1));
    }

    /** @param {number} launch @returns {Pass["domain"]} */
    domain(launch) {
        return this.of(launch).domain;
    }

    /** Whether a point is in the domain of a launch. @param {number} launch @param {number[]} point @returns {boolean} */
    runs(launch, [i, j]) {
        const [i0, j0, i1, j1] = this.domain(launch);
        return i >= i0 && i <= i1 && j >= j0 && j <= j1;
    }

    /**
     * The last launch of the last pass that the first of the predicates accepts, else the next one; without any, of the job.
     * @param {...(pass: Pass) => boolean} wanted @returns {number}
     */
    last(...wanted) {
        const found = wanted.map((want) => this.passes.findLastIndex(want)).find((pass) => pass >= 0);
        return this.before((found ?? this.passes.length - 1) + 1) - 1;
    }

    /**
     * The point of a launch that is nearest to a point; without one, that in the middle.
     * @param {number} launch @param {number[]} [point] @returns {[number, number]}
     */
    nearest(launch, point) {
        const [i0, j0, i1, j1] = this.domain(launch);
        const [i, j] = point ?? [(i0 + i1) >> 1, (j0 + j1) >> 1];
        const inside = (n, low, high) => Math.max(low, Math.min(n, high));
        return [inside(i, i0, i1), inside(j, j0, j1)];
    }
}
