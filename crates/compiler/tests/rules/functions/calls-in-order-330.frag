// GLSL 3.30, 6.1: Calls with effects happen in the order of the text.
// value: 123 0 0 1
#version 330
out vec4 color;
float order = 0.0;
float note(float n) { order = order * 10.0 + n; return n; }

void main() {
    note(1.0);
    float a = note(2.0) * note(3.0);
    color = vec4(order, 0.0, 0.0, a - 5.0);
}
