// A point's beginning and end: start values, conditional operation, outputs, faults, log.

// ---- faults
//
// For each kind a point keeps its number of faults and its first one. The group adds up the numbers in
// workgroup memory and logs, for each kind, the first fault in the order of its points.

// The bit of the group's own fault, after those of the kinds.
const GROUP_KIND: u32 = 1u << POINT_FAULTS;

// Bit n: the point had faults of kind n.
var<private> fault_kinds: u32;
// For each kind: order, pc | number << 16, word, count.
var<private> point_faults: array<vec4<u32>, POINT_FAULTS>;

var<workgroup> fault_first: array<atomic<u32>, POINT_FAULTS>;
var<workgroup> fault_low: array<atomic<u32>, POINT_FAULTS>;
var<workgroup> fault_high: array<atomic<u32>, POINT_FAULTS>;
var<workgroup> first_of_group: atomic<u32>;
var<workgroup> covered_points: atomic<u32>;
// Sums over the points, in 16-bit halves: lane instructions, fetches, killed.
var<workgroup> sums_low: array<atomic<u32>, 3>;
var<workgroup> sums_high: array<atomic<u32>, 3>;

fn point_fault(kind: u32, order: u32, pc: u32, number: u32, word: u32) {
    if ((fault_kinds >> kind) & 1u) != 0u {
        point_faults[kind].w += 1u;
    } else {
        point_faults[kind] = vec4<u32>(order, pc | (number << 16u), word, 1u);
        fault_kinds |= 1u << kind;
    }
}

// Adds an entry to the log, if it has room: a write that the host applies after the launch, a message
// about such writes, or faults. `bits` is the upper half of its first word. Entries without room are
// counted too.
fn log_entry(kind: u32, bits: u32, order: u32, address: u32, data: vec4<u32>) {
    let n = atomicAdd(&results[HEAD_LOGGED], 1u);
    if n < dispatch.log_capacity {
        let at = dispatch.log + n * LOG_WORDS;
        atomicStore(&results[at + LOG_KIND], kind | (bits << 16u));
        atomicStore(&results[at + LOG_LAUNCH], launches[launch].number);
        atomicStore(&results[at + LOG_POINT], point.x | (point.y << 12u));
        atomicStore(&results[at + LOG_ORDER], order);
        atomicStore(&results[at + LOG_ADDRESS], address);
        atomicStore(&results[at + LOG_DATA], data.x);
        atomicStore(&results[at + LOG_DATA + 1u], data.y);
        atomicStore(&results[at + LOG_DATA + 2u], data.z);
        atomicStore(&results[at + LOG_DATA + 3u], data.w);
    }
}

// ---- the conditional operation

// Whether v passes the test against b. They are compared as numbers, or as integers for UINT16_1.
fn condition_passes(test: u32, integers: bool, v: u32, b: u32) -> bool {
    let less = select(x1k_less(v, b), v < b, integers);
    let equal = select(x1k_equal(v, b), v == b, integers);
    let greater = select(x1k_less(b, v), v > b, integers);
    let asked = 1u << test;
    let any = (((asked & ((1u << TEST_LESS) | (1u << TEST_LESS_EQUAL))) != 0u) & less)
        | (((asked & ((1u << TEST_LESS_EQUAL) | (1u << TEST_EQUAL) | (1u << TEST_GREATER_EQUAL))) != 0u) & equal)
        | (((asked & ((1u << TEST_GREATER_EQUAL) | (1u << TEST_GREATER))) != 0u) & greater);
    // NaN is not equal to anything.
    return select(select(any, !equal, test == TEST_NOT_EQUAL), true, test == TEST_ALWAYS);
}

// Tests the covered points, before the group's start or at its `end`, and keeps those covered that
// pass. An own value can only be there at the end.
fn condition_op(number: u32, end: bool, order: u32, pc: u32) {
    let surface = launches[number].condition;
    let test = launches[number].test;
    let is16 = (surface.bits & MEM_FORMAT) == MEM_UINT16_1;
    let bytes = select(4u, 2u, is16);
    let flags = launches[number].flags;
    let logs = (flags & LAUNCH_LOGS) != 0u;
    let touched = (test != TEST_NEVER) & (test != TEST_ALWAYS);
    let is_there = (surface.bits & MEM_PRESENT) != 0u;
    let has_own = end & (((written >> 16u) & 1u) != 0u);
    let own = reg(select(launches[launch].own_row, 0u, !has_own));
    let plain = select(launches[launch].value, own, has_own);
    let sixteen = select(launches[launch].value & 0xffffu, x1k_unorm16(own), has_own);
    let v = select(plain, sixteen, is16);
    let address = mem_address(surface, point.x, point.y);
    let writable = mem_is_writable(surface, point.x, point.y);
    let inside = writable & mem_contains(memory_ranges(), address, bytes);
    let takes_part = covered;
    let g = (address >> 2u) - surface.delta;
    var b = 0u;
    if takes_part & is_there & inside & touched {
        let word = mem_load_word(g);
        b = select(word, (word >> ((address & 2u) << 3u)) & 0xffffu, is16);
    }
    let passes = select(test == TEST_ALWAYS, condition_passes(test, is16, v, b), is_there);
    covered = takes_part & passes;
    let writes = covered & is_there & ((flags & LAUNCH_CONDITION_WRITES) != 0u);
    if logs {
        if writes & inside {
            log_entry(LOG_CONDITION, (1u << bytes) - 1u, 0u, address, vec4<u32>(v, 0u, 0u, 0u));
        }
    } else if is16 {
        give_part(v, select(0u, 0xffffu, writes & inside));
    } else if writes & inside {
        mem_store_word(g, v);
    }
    if takes_part & is_there & !inside & (touched | writes) {
        if writable {
            point_fault(FAULT_CONDITION_MEMORY, order, pc, 0u, address);
        } else {
            point_fault(FAULT_CONDITION_SURFACE, order, pc, 0u, 0u);
        }
    }
    if is_there & is16 & !logs {
        store_parts(surface, 2u);
    }
}

// Gives an element of 1 or 2 bytes to `store_parts`, and above it the bits of it that are written.
fn give_part(element: u32, written: u32) {
    exchange[lane] = (element & 0xffffu) | (written << 16u);
}

// Stores the elements of 1 or 2 bytes that all points gave. Neighbours share a word; the leftmost point
// writes it.
fn store_parts(surface: Surface, bytes: u32) {
    workgroupBarrier();
    if (lane & ((4u / bytes) - 1u)) == 0u {
        var value = 0u;
        var mask = 0u;
        for (var n = 0u; n < 4u; n += bytes) {
            let part = exchange[lane + n / bytes];
            value |= (part & 0xffffu) << (8u * n);
            mask |= (part >> 16u) << (8u * n);
        }
        if mask != 0u {
            let g = (mem_address(surface, point.x, point.y) >> 2u) - surface.delta;
            mem_store_word(g, mem_merge(mem_load_word(g), value, mask));
        }
    }
    workgroupBarrier();
}

// ---- outputs

// Writes the point's element of an output.
fn output(group: ptr<function, Group>, number: u32) {
    let surface = launches[(*group).launch].outputs[number];
    if (surface.bits & MEM_PRESENT) == 0u {
        return;
    }
    let bytes = 1u << mem_bytes_log2(surface.bits);
    let logs = (launches[(*group).launch].flags & LAUNCH_LOGS) != 0u;
    let format = surface.bits & MEM_FORMAT;
    let stored = (1u << mem_channels(format)) - 1u;
    let mask = (written >> (number * 4u)) & launches[launch].out_mask & stored;
    let writable = mem_is_writable(surface, point.x, point.y);
    let address = mem_address(surface, point.x, point.y);
    let inside = mem_contains(memory_ranges(), address, bytes);
    let wants = covered & (mask != 0u);
    let writes = wants & writable & inside;
    if wants & !writes {
        if writable {
            point_fault(FAULT_OUTPUT_MEMORY, AT_END, (*group).last_pc, number, address);
        } else {
            point_fault(FAULT_OUTPUT_SURFACE, AT_END, (*group).last_pc, number, 0u);
        }
    }
    var channels: vec4<u32>;
    for (var rest = mask; rest != 0u; rest &= rest - 1u) {
        let n = firstTrailingBit(rest);
        channels[n] = reg(launches[launch].output_rows[number][n]);
    }
    let element = mem_encode(format, channels, mask);
    let g = (address >> 2u) - surface.delta;
    if logs {
        if writes {
            log_entry(LOG_OUTPUT, byte_mask(element.masks), number, address, element.words);
        }
    } else if INTEGERS {
        if bytes < 4u {
            let value = element.words.x & element.masks.x;
            give_part(value, select(0u, element.masks.x, writes));
        } else if writes {
            mem_store_element(g, element);
        }
    } else if writes {
        mem_store_element(g, element);
    }
    if INTEGERS {
        if (bytes < 4u) & !logs {
            store_parts(surface, bytes);
        }
    }
}

// Bit n: byte n of four words is written.
fn byte_mask(masks: vec4<u32>) -> u32 {
    var bytes = 0u;
    for (var n = 0u; n < 16u; n++) {
        bytes |= ((masks[n >> 2u] >> ((n & 3u) * 8u)) & 1u) << n;
    }
    return bytes;
}

// ---- the group's beginning and end

fn find_point(number: u32, tile: u32) {
    let columns = launches[number].columns;
    let log2 = launches[number].width_log2;
    let i = (launches[number].first_column + tile % columns) << log2;
    let j = (launches[number].first_row + tile / columns) << (6u - log2);
    point = vec2<u32>(i + (lane & ((1u << log2) - 1u)), j + (lane >> log2));
}

// Gives every register its start value: zeros, the point's index, the uniforms. One loop does it all,
// because drivers take long to compile each place that writes registers.
fn start_registers(first: u32) {
    let temporaries = launches[launch].temporaries;
    let uniforms = launches[launch].uniforms;
    let uniform_row = launches[launch].uniform_row;
    let end = uniform_row + launches[launch].uniform_count;
    let i_row = launches[launch].i_row;
    let j_row = launches[launch].j_row;
    let i = bitcast<u32>(f32(point.x));
    let j = bitcast<u32>(f32(point.y));
    // The other rows are never read before they are written.
    let skipped = uniform_row - temporaries;
    for (var k = first; k < end - skipped; k++) {
        let row = k + select(0u, skipped, k >= temporaries);
        let n = max(row, uniform_row) - uniform_row;
        let uniform_value = code[uniforms + (n >> 2u)][n & 3u];
        let value = select(0u, uniform_value, row >= uniform_row);
        set_reg(row, select(select(value, i, row == i_row), j, row == j_row));
    }
}

fn plane(at: u32, x: u32, y: u32) -> u32 {
    let abc = code[at];
    let across = x1k_add(abc.x, x1k_mul(abc.y, x, false));
    return x1k_add(across, x1k_mul(abc.z, y, false));
}

// Start values other than zeros and the index: interpolants, then initial data.
fn start_values() {
    let at = launches[launch].interpolants;
    if at != NO_TABLE {
        let x = bitcast<u32>(f32(point.x) + 0.5);
        let y = bitcast<u32>(f32(point.y) + 0.5);
        // An entry: the plane, and the row it sets.
        let count = code[at].x;
        for (var n = 0u; n < count; n++) {
            set_reg(code[at + 1u + n].w, plane(at + 1u + n, x, y));
        }
    }
    let i = clamp(point.x, launches[launch].i0, launches[launch].i1) - launches[launch].i0;
    let j = clamp(point.y, launches[launch].j0, launches[launch].j1) - launches[launch].j0;
    let columns = launches[launch].i1 - launches[launch].i0 + 1u;
    let points = columns * (launches[launch].j1 - launches[launch].j0 + 1u);
    for (var n = 0u; n < launches[launch].initial_count; n++) {
        // An entry: the rows of the channels.
        let rows = code[launches[launch].initial + n];
        let data = starts[launches[launch].starts + n * points + j * columns + i];
        for (var k = 0u; k < 4u; k++) {
            if rows[k] != NO_ROW {
                set_reg(rows[k], data[k]);
            }
        }
    }
}

// Clears the workgroup memory that must be clear before the first vote.
fn clear_shared() {
    if lane < POINT_FAULTS {
        atomicStore(&fault_first[lane], 64u);
        atomicStore(&fault_low[lane], 0u);
        atomicStore(&fault_high[lane], 0u);
    }
    if lane < 3u {
        atomicStore(&sums_low[lane], 0u);
        atomicStore(&sums_high[lane], 0u);
    }
    if lane == 0u {
        atomicStore(&votes[0], 0u);
        atomicStore(&votes[1], 0u);
        atomicStore(&covered_points, 0u);
        atomicStore(&first_of_group, 128u);
    }
}

// Puts the group into the start state. Returns STATUS_NEW if none of its points takes part.
fn start_group(group: ptr<function, Group>) -> u32 {
    let number = (*group).launch;
    covered = (point.x >= launches[number].i0) & (point.x <= launches[number].i1)
        & (point.y >= launches[number].j0) & (point.y <= launches[number].j1);
    let start = launches[number].start;
    (*group).segment = start;
    (*group).last_pc = start;
    (*group).next = launches[number].first_op;
    if CONDITIONS {
        if (launches[number].flags & LAUNCH_CONDITION_FIRST) != 0u {
            condition_op(number, false, 0u, start);
        }
    }
    started = covered;
    masks = MASK_ALWAYS | MASK_ACTIVE;
    start_registers(0u);
    if STARTS {
        start_values();
    }
    // Without a condition, every tile contains a point of the domain.
    if CONDITIONS {
        (*group).votes += 1u;
        if vote((*group).votes, select(0u, 1u, covered)) == 0u {
            return STATUS_NEW;
        }
    }
    return STATUS_RUNS;
}

fn end_points(group: ptr<function, Group>) {
    let number = (*group).launch;
    if CONDITIONS {
        let flags = launches[number].flags;
        if (flags & LAUNCH_CONDITION_LAST) != 0u {
            let before = covered;
            condition_op(number, true, AT_END, (*group).last_pc);
            if UNCACHED {
                if before & !covered & ((flags & LAUNCH_LOGS) != 0u) {
                    log_entry(LOG_DROP_POINT, 0u, 0u, 0u, vec4<u32>(0u));
                }
            }
        }
    }
    if ONE_OUTPUT {
        output(group, 0u);
        return;
    }
    // The bound is not a constant, so that the compiler does not unroll the loop.
    for (var n = 0u; n < launches[number].output_count; n++) {
        output(group, n);
    }
}

// Logs the faults that the point is the first to have. A fault of the whole group counts as one more
// kind, of the point it is charged to.
fn log_faults(group: Group, status: u32) {
    let mine = (status >= STATUS_FAULT) & ((atomicLoad(&first_of_group) & 63u) == lane);
    for (var rest = fault_kinds | select(0u, GROUP_KIND, mine); rest != 0u; rest &= rest - 1u) {
        let kind = firstTrailingBit(rest);
        let of_group = (rest & (GROUP_KIND - 1u)) == 0u;
        let index = select(kind, 0u, of_group);
        if of_group | (atomicLoad(&fault_first[index]) == lane) {
            let low = select(atomicLoad(&fault_low[index]), 1u, of_group);
            let high = select(atomicLoad(&fault_high[index]), 0u, of_group) + (low >> 16u);
            let whole = vec4<u32>(order_at(group, group.last_pc), group.last_pc, 0u, 0u);
            let fault = select(point_faults[index], whole, of_group);
            let data = vec4<u32>(fault.y, (low & 0xffffu) | (high << 16u), high >> 16u, 0u);
            log_entry(LOG_FAULT, select(kind, status - STATUS_FAULT, of_group), fault.x, fault.z, data);
        }
    }
}

// Ends a group that ran, with the given status.
fn end_group(group: ptr<function, Group>, status: u32) {
    if status == STATUS_DONE {
        end_points(group);
    }
    if started {
        atomicAdd(&covered_points, 1u);
        if status >= STATUS_FAULT {
            // The lowest covered point; if there is none, the lowest that started.
            atomicMin(&first_of_group, lane + select(64u, 0u, covered));
        }
    }
    for (var rest = fault_kinds; rest != 0u; rest &= rest - 1u) {
        let kind = firstTrailingBit(rest);
        let count = point_faults[kind].w;
        atomicMin(&fault_first[kind], lane);
        atomicAdd(&fault_low[kind], count & 0xffffu);
        atomicAdd(&fault_high[kind], count >> 16u);
    }
    if STATISTICS {
        add_sum(0u, lane_instructions);
        add_sum(1u, fetches);
        add_sum(2u, killed);
    }
    (*group).votes += 1u;
    let inputs = vote((*group).votes, foreign);
    log_faults(*group, status);
    let is_first = lane == 0u;
    if UNCACHED {
        let logs = (launches[launch].flags & LAUNCH_LOGS) != 0u;
        if is_first & (status >= STATUS_FAULT) & logs {
            log_entry(LOG_DROP_GROUP, 0u, 0u, 0u, vec4<u32>(0u));
        }
    }
    let record = HEAD_WORDS + launches[launch].number * RESULT_WORDS;
    if is_first & (status != STATUS_NEW) {
        atomicAdd(&results[record + RESULT_GROUPS], 1u);
        atomicAdd(&results[record + RESULT_POINTS], atomicLoad(&covered_points));
    }
    if is_first & (inputs != 0u) {
        atomicOr(&results[record + RESULT_FOREIGN], inputs);
    }
    if STATISTICS {
        if status != STATUS_NEW {
            if lane < 6u {
                add_wide(record + RESULT_COUNTED + 2u * lane, (*group).counted[lane], 0u);
            }
            if lane < 3u {
                let low = atomicLoad(&sums_low[lane]);
                let high = atomicLoad(&sums_high[lane]) + (low >> 16u);
                add_wide(record + RESULT_SUMS + 2u * lane, (low & 0xffffu) | (high << 16u), high >> 16u);
            }
        }
    }
}

fn add_sum(n: u32, value: u32) {
    if value != 0u {
        atomicAdd(&sums_low[n], value & 0xffffu);
        atomicAdd(&sums_high[n], value >> 16u);
    }
}
