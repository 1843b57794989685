// GLSL 3.30, 4.1.10: What an out parameter gives is converted for its argument.
// value: 3 0 0 1
#version 330
out vec4 color;
void f(out int a) { a = 3; }

void main() {
    float a;
    f(a);
    color = vec4(a, 0.0, 0.0, 1.0);
}
