#version 300 es
// ES 3.00, 9: `fn` is a word of WGSL.
precision highp float;
out vec4 color;
fn f(a: f32) -> f32 { return a; } //~ error: expected `)` after the parameters of a function, found `:`

void main() {
    color = vec4(1.0);
}
