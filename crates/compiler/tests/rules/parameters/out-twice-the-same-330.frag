// GLSL 3.30, 6.1.1: Two parameters of one argument are two variables in the function.
// value: 1 2 0 1
#version 330
out vec4 color;
float r1, r2;
void f(inout float a, inout float b) {
    a += 1.0;
    r1 = a;
    b += 2.0;
    r2 = b;
}

void main() {
    float x = 0.0;
    f(x, x);
    color = vec4(r1, r2, 0.0, 1.0);
}
