// GLSL 3.30, 4.4: `in` says what is so without it.
// value: 1 2 0 1
#version 330
out vec4 color;
float f(in float a) { a *= 2.0; return a; }

void main() {
    float a = 1.0;
    float b = f(a);
    color = vec4(a, b, 0.0, 1.0);
}
