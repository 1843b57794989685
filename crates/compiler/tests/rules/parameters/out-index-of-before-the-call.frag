// GLSL 3.30, 6.1.1: An index that the function changes has its value of before the call.
// value: 7 0 1 1
// set u = 0
#version 330
out vec4 color;
uniform int u;
int i;
void f(out float a) { i = 1; a = 7.0; }

void main() {
    float w[2] = float[2](0.0, 0.0);
    i = u;
    f(w[i]);
    color = vec4(w[0], w[1], float(i), 1.0);
}
