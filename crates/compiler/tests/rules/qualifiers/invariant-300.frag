#version 300 es
// ES 3.00, 4.6.1: In ES 3.00 only outputs are invariant.
precision highp float;
out vec4 color;
invariant in vec2 a; //~ error: in GLSL ES 3.00 the inputs of a fragment shader are not `invariant`

void main() {
}
