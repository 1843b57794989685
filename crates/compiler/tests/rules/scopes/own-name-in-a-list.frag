// GLSL 3.30, 4.2.2: In a list of declarations each name counts from the next one on.
// value: 2 3 0 1
// set u = 2
#version 330
out vec4 color;
uniform float u;

void main() {
    float a = u, b = a + 1.0;
    color = vec4(a, b, 0.0, 1.0);
}
