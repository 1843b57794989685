// GLSL 3.30, 4.4: An array is copied like any other argument.
// value: 1 5 6 1
#version 330
out vec4 color;
float f(float a[2]) { a[0] = 9.0; return a[1]; }
void g(inout float a[2]) { a[1] += 4.0; }

void main() {
    float a[2];
    a[0] = 1.0;
    a[1] = 1.0;
    float b = f(a);
    g(a);
    color = vec4(a[0], a[1], b + 5.0, 1.0);
}
