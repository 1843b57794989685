// GLSL 3.30, 4.4: An out parameter is copied back at every `return`.
// value: 2 3 0 1
// set u = 1
#version 330
out vec4 color;
uniform float u;
void f(float x, out float a) {
    a = 2.0;
    if (x > 0.5) return;
    a = 3.0;
}

void main() {
    float a, b;
    f(u, a);
    f(u - 1.0, b);
    color = vec4(a, b, 0.0, 1.0);
}
