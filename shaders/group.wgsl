// What the points of a group do together, for every shader that runs a group as the machine does:
// votes, branch counters, 64-bit sums. The including shader declares `slot` and `results`.

// ---- agreement

var<workgroup> votes: array<atomic<u32>, 3>;
var<private> ballot: u32;

// The union of all points' bits, with one barrier. Three words take turns: the next one is cleared
// while no point can read or write it.
fn vote(bits: u32) -> u32 {
    let now = ballot % 3u;
    ballot += 1u;
    if slot == 0u {
        atomicStore(&votes[ballot % 3u], 0u);
    }
    if bits != 0u {
        atomicOr(&votes[now], bits);
    }
    workgroupBarrier();
    return atomicLoad(&votes[now]);
}

// ---- masks

// Whether the point is inactive by a branch, and how many levels below that branch the group is.
var<private> waits: bool;
var<private> counter: u32;
// Bit n: the point has left loop frame n, or waits for the end of its iteration.
var<private> broken: u32;
var<private> continued: u32;

// ELSE: awake points wait at this level, and the points that waited at it wake up.
fn exchange_level(swapped: bool) {
    waits = swapped | (waits & (counter != 0u));
    counter = select(counter, 0u, swapped);
}

// DECR: ends `amount` levels.
fn wake_levels(amount: u32) {
    let below = counter < amount;
    counter = select(counter, counter - amount, waits & !below);
    waits = waits & !below;
}

// INCR: points that disagree start to wait; those that already `waited` are one level deeper.
fn sleep(waited: bool, disagrees: bool) {
    counter += select(0u, 1u, waited & waits);
    counter = select(counter, 0u, disagrees);
    waits = waits | disagrees;
}

// ---- sums

// Adds to a 64-bit number of `results`.
fn add_wide(at: u32, low: u32, high: u32) {
    let old = atomicAdd(&results[at], low);
    let carry = select(0u, 1u, old + low < old);
    if (high + carry) != 0u {
        atomicAdd(&results[at + 1u], high + carry);
    }
}
