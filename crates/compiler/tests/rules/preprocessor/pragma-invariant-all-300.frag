#version 300 es
// ES 3.00, 4.6.1: In a fragment shader `#pragma STDGL invariant(all)` is an error.
#pragma STDGL invariant(all) //~ error: in GLSL ES 3.00 a fragment shader has no `#pragma STDGL invariant(all)`
precision highp float;
out vec4 color;

void main() {
    color = vec4(1.0);
}
