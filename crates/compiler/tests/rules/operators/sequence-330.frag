// GLSL 3.30, 5.9: `,` computes both sides, from left to right, and gives the right one.
// value: 2 4 3 1
// set u = 1
#version 330
out vec4 color;
uniform float u;

void main() {
    float a = u, b = u;
    float c = (a += 1.0, b = a + 2.0, 3.0);
    color = vec4(a, b, c, 1.0);
}
