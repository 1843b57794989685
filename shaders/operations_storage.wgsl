// Micro-operations: in `code`, for dispatches of several launches and for programs of any length.

fn operation(at: u32) -> vec4<u32> {
    return code[at];
}
