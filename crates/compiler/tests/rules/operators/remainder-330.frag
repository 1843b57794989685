// GLSL 3.30, 5.9: `%` works on integers and their vectors.
// value: 2 1 3 0
// set a = 17
#version 330
out vec4 color;
uniform int a;

void main() {
    ivec2 v = ivec2(a, a + 2) % 4;
    color = vec4(a % 5, v, a % a);
}
