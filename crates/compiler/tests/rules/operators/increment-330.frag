// GLSL 3.30, 5.9: `++` and `--` before a variable give the new value, after it the old one.
// value: 3 3 2 4
// set a = 2
#version 330
out vec4 color;
uniform float a;

void main() {
    float b = a, c = a, d = a, e = a;
    float f = ++b;
    float g = c++;
    d--;
    --e;
    color = vec4(b, f, g, c + d + e - 1.0);
}
