// GLSL 3.30, 5.8: An assignment gives the value that was assigned.
// value: 3 3 6 1
// set u = 3
#version 330
out vec4 color;
uniform float u;

void main() {
    float a, b, c;
    a = b = u;
    c = (a += 1.0) + (b -= 1.0);
    color = vec4(a - 1.0, b + 1.0, c, 1.0);
}
