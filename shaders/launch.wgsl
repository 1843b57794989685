// What the host hands to a dispatch and what comes back: src/engine/gpu/records.rs has the
// same structs, and a test compares the offsets.

// One launch. Places in `code` count vec4s.
struct Launch {
    // Micro-operations, flow-control fields, first micro-operation of each slot (four to a vec4).
    ops: u32,
    flows: u32,
    entries: u32,
    // Values that are the same for all points: how many, where, and the row of the first.
    uniforms: u32,
    uniform_count: u32,
    uniform_row: u32,
    // Integer constants; instructions of each type before each slot; float constants.
    integers: u32,
    counts: u32,
    floats: u32,
    // Rows of temporaries: the first ones.
    temporaries: u32,
    start: u32,
    // The micro-operation that it begins with.
    first_op: u32,
    booleans: u32,
    // The tiles of the domain: column and row of tile 0, tiles in a row of them, log2 of the width.
    first_column: u32,
    columns: u32,
    first_row: u32,
    width_log2: u32,
    i0: u32,
    j0: u32,
    i1: u32,
    j1: u32,
    out_mask: u32,
    limit: u32,
    test: u32,
    value: u32,
    flags: u32,
    // Inputs that share their elements with an output, bit n.
    in_place: u32,
    // Temporaries that start with data: first entry, how many.
    initial: u32,
    initial_count: u32,
    // The planes of temporaries 1 to 7.
    interpolants: u32,
    // Rows that start with the point's i and j.
    i_row: u32,
    j_row: u32,
    // The own conditional value's row.
    own_row: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
    // Rows of the held outputs' channels.
    output_rows: array<vec4<u32>, 4>,
    // Memory: first and last byte of each range, inclusive.
    range0: vec2<u32>,
    range1: vec2<u32>,
    range2: vec2<u32>,
    // What the log calls this launch.
    number: u32,
    // Outputs below this are looked at.
    output_count: u32,
    inputs: array<Surface, 16>,
    outputs: array<Surface, 4>,
    condition: Surface,
}

// One dispatch.
struct Dispatch {
    // The tile of workgroup 0, if the dispatch has one launch.
    first_tile: u32,
    // Where in `code` the table of (launch, tile) pairs begins, two to a vec4; NO_TABLE: no table.
    table: u32,
    // Entries that the log has room for.
    log_capacity: u32,
    // Micro-operations after which a group rests.
    slice: u32,
    // Words that a group keeps of each point in `state`.
    state_words: u32,
    pad0: u32,
    pad1: u32,
    pad2: u32,
}

@group(0) @binding(0) var<storage, read> code: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> state: array<u32>;
@group(0) @binding(9) var<storage, read_write> log_words: array<u32>;
@group(0) @binding(8) var<uniform> dispatch: Dispatch;

fn memory_ranges() -> MemRanges {
    return MemRanges(launches[launch].range0, launches[launch].range1, launches[launch].range2);
}

// A new entry of the log: the place of its first word, or NO_ROOM. Entries are counted even then.
fn log_entry() -> u32 {
    let n = atomicAdd(&results[RESULT_LOGGED], 1u);
    return select(NO_ROOM, n * LOG_WORDS, n < dispatch.log_capacity);
}
