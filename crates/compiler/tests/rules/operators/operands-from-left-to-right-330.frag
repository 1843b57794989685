// GLSL 3.30, 5.9: The operands of an operator are computed from left to right.
// value: 12 34 1 1
#version 330
out vec4 color;
int order = 0;
float note(int n, float a) { order = order * 10 + n; return a; }

void main() {
    float a = note(1, 1.0) + note(2, 2.0);
    float first = float(order);
    order = 0;
    vec2 v = vec2(note(3, 1.0), note(4, 1.0));
    color = vec4(first, float(order), v.x, 1.0);
}
