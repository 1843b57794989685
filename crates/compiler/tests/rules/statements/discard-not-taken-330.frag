// GLSL 3.30, 6.4: `discard` that is not reached has no effect.
// value: 1 0 0 1
// set u = 0
#version 330
out vec4 color;
uniform float u;

void main() {
    if (u > 0.5) discard;
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
