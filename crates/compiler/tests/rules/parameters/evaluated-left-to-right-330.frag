// GLSL 3.30, 5.3: Arguments are computed once each, from left to right.
// value: 12 0 0 1
#version 330
out vec4 color;
int order = 0;
float note(int n) { order = order * 10 + n; return 0.0; }
float f(float a, float b) { return a + b; }

void main() {
    float a = f(note(1), note(2));
    color = vec4(float(order), a, 0.0, 1.0);
}
