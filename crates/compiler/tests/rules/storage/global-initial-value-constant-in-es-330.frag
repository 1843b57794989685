// GLSL 3.30, 4.3: A global variable may have any initial value.
// value: 3 4 2 1
// set u = 2
#version 330
out vec4 color;
uniform float u;
float f() { return 4.0; }
float a = u + 1.0;
float b = f();
float c = sin(u);
float d = 2.0;

void main() {
    color = vec4(a, b, d, 1.0);
}
