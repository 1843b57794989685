// Operations of a whole group, for every shader that runs a group as the machine does:
// votes, branch counters, 64-bit sums. The including shader declares `lane`, SUBGROUPS and `results`.

// ---- agreement

var<workgroup> votes: array<atomic<u32>, 2>;

// A value that is the same for all points of the group. Compilers cannot see that of what was voted, of
// stacks and of stored groups; with subgroups this says it, and what depends on it stays scalar. WGSL's
// rules then prove no control flow uniform, so browsers get variants without.
fn same(value: u32) -> u32 {
    if SUBGROUPS {
        return subgroupBroadcastFirst(value);
    }
    return value;
}

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
    return same(all);
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
