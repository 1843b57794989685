// What points of a group do together in every shader that runs a group as the machine does: votes,
// branch counters, 64-bit sums. Whoever uses this declares `slot` and `results`.

// ---- agreement

var<workgroup> votes: array<atomic<u32>, 3>;
var<private> ballot: u32;

// The union of every point's bits. One barrier: three words take turns, and the next one is cleared
// while nobody can be reading or writing it.
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

// Inactive by a branch, and how deep below the branch that did it.
var<private> waits: bool;
var<private> counter: u32;
// Bit n: the point has left loop frame n, or waits for the end of its iteration.
var<private> broken: u32;
var<private> continued: u32;

// ELSE: who is awake waits at this level, and who waits there wakes up.
fn exchange_level(swapped: bool) {
    waits = swapped | (waits & (counter != 0u));
    counter = select(counter, 0u, swapped);
}

// DECR: ends as many levels.
fn wake_levels(amount: u32) {
    let below = counter < amount;
    counter = select(counter, counter - amount, waits & !below);
    waits = waits & !below;
}

// INCR: who disagrees waits one level deeper than those that `waited` already.
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
