// GLSL 3.30, 6.4: `return` ends `main` too.
// value: 1 0 0 1
// set u = 1
#version 330
out vec4 color;
uniform float u;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
    if (u > 0.5) return;
    color = vec4(2.0);
}
