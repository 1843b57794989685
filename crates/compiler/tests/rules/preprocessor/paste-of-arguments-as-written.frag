// GLSL 1.30, 3.3: Arguments beside `##` are not expanded first.
// value: 1 2 0 1
#version 130
out vec4 color;
#define JOIN(a, b) a ## b
#define X 9

void main() {
    float aX = 1.0, Xa = 2.0;
    color = vec4(JOIN(a, X), JOIN(X, a), 0.0, 1.0);
}
