// Records of the host for a dispatch, and its results. crates/shade/src/abi/launch.rs has the
// same structs; a test compares the offsets.

// One launch. Positions in `code` count vec4s.
struct Launch {
    // Micro-operations, flow-control fields, first micro-operation of each slot (four to a vec4).
    ops: u32,
    flows: u32,
    entries: u32,
    // Values that are the same for all points: position, number, and row of the first.
    uniforms: u32,
    uniform_count: u32,
    uniform_row: u32,
    // Integer constants; instructions of each type before each slot; float constants.
    integers: u32,
    counts: u32,
    floats: u32,
    // Number of rows of temporaries. They are the first rows.
    temporaries: u32,
    start: u32,
    // The first micro-operation to execute.
    first_op: u32,
    booleans: u32,
    // The tiles of the domain: column and row of tile 0, tiles per row, log2 of the width.
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
    // Temporaries that start with data: first entry, number of entries, position of the first
    // point's value in `starts`.
    initial: u32,
    initial_count: u32,
    starts: u32,
    // The planes of temporaries 1 to 7.
    interpolants: u32,
    // Rows that start with the point's i and j.
    i_row: u32,
    j_row: u32,
    // The row of the own conditional value.
    own_row: u32,
    pad0: u32,
    pad1: u32,
    // Rows of the channels of the held outputs.
    output_rows: array<vec4<u32>, 4>,
    // Memory: first and last byte of each range, inclusive.
    range0: vec2<u32>,
    range1: vec2<u32>,
    range2: vec2<u32>,
    // The number of this launch in the log.
    number: u32,
    // Only outputs below this one are written.
    output_count: u32,
    inputs: array<Surface, 16>,
    outputs: array<Surface, 4>,
    condition: Surface,
}

// One dispatch.
struct Dispatch {
    // The tile of workgroup 0, if the dispatch has one launch.
    first_tile: u32,
    // Position in `code` of the table of (launch, tile) pairs, two to a vec4. NO_TABLE: no table.
    table: u32,
    // The number of entries the log has room for.
    log_capacity: u32,
    // The number of micro-operations after which a group rests.
    slice: u32,
    // The number of words of each point that a group keeps in `state`.
    state_words: u32,
    // The position in `results` of the log.
    log: u32,
    pad0: u32,
    pad1: u32,
}

@group(0) @binding(0) var<storage, read> code: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> state: array<u32>;
@group(0) @binding(8) var<uniform> dispatch: Dispatch;
// The initial data of temporaries: for each launch, temporary and point, row by row.
@group(0) @binding(9) var<storage, read> starts: array<vec4<u32>>;

fn memory_ranges() -> MemRanges {
    return MemRanges(launches[launch].range0, launches[launch].range1, launches[launch].range2);
}
