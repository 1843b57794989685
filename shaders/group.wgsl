// What the points of a group do together, for every shader that runs a group as the machine does:
// votes, branch counters, 64-bit sums. The including shader declares `lane`, POINTS, SUBGROUPS and
// `results`.

// ---- agreement

var<workgroup> votes: array<atomic<u32>, 2>;

// The union of all invocations' bits. Two words take turns; `number` counts the group's votes.
fn vote(number: u32, bits: u32) -> u32 {
    if SUBGROUPS {
        // Valid at every size of subgroups. Their invocations agree first, then the subgroups.
        let together = subgroupOr(bits);
        if subgroupBroadcastFirst(lane) == lane {
            atomicOr(&votes[number & 1u], together);
        }
    } else if bits != 0u {
        atomicOr(&votes[number & 1u], bits);
    }
    let all = workgroupUniformLoad(&votes[number & 1u]);
    // The invocations meet in the next vote before they use this word again.
    if lane == 0u {
        atomicStore(&votes[number & 1u], 0u);
    }
    return all;
}

// ---- masks

// Whether the point is inactive by a branch, and how many levels below that branch the group is.
var<private> waits: array<bool, POINTS>;
var<private> counter: array<u32, POINTS>;
// Bit n: the point has left loop frame n, or waits for the end of its iteration.
var<private> broken: array<u32, POINTS>;
var<private> continued: array<u32, POINTS>;

// ELSE: awake points wait at this level, and the points that waited at it wake up.
fn exchange_level(p: u32, swapped: bool) {
    waits[p] = swapped | (waits[p] & (counter[p] != 0u));
    counter[p] = select(counter[p], 0u, swapped);
}

// DECR: ends `amount` levels.
fn wake_levels(p: u32, amount: u32) {
    let below = counter[p] < amount;
    counter[p] = select(counter[p], counter[p] - amount, waits[p] & !below);
    waits[p] = waits[p] & !below;
}

// INCR: points that disagree start to wait; those that already `waited` are one level deeper.
fn sleep(p: u32, waited: bool, disagrees: bool) {
    counter[p] += select(0u, 1u, waited & waits[p]);
    counter[p] = select(counter[p], 0u, disagrees);
    waits[p] = waits[p] | disagrees;
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
