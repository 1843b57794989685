#version 300 es
// ES 3.00, 6.2: A condition is one bool.
precision highp float;
out vec4 color;
uniform int n;
uniform float u;

void main() {
    if (n) {} //~ error
    if (u) {} //~ error
    if (1) {} //~ error
    if (bvec2(true)) {} //~ error
    if (vec2(1.0)) {} //~ error
}
