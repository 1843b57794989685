// Micro-operations: in a uniform buffer, for a dispatch of one launch whose program fits.

@group(0) @binding(10) var<uniform> operations: array<vec4<u32>, UNIFORM_OPS>;

fn operation(at: u32) -> vec4<u32> {
    return operations[at];
}
