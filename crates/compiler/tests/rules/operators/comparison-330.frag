// GLSL 3.30, 5.9: `<`, `>`, `<=`, `>=` compare numbers.
// value: 1 1 0 1
// set a = 2
// set n = 3
#version 330
out vec4 color;
uniform float a;
uniform int n;

void main() {
    color = vec4(float(a < 3.0 && !(a < 2.0)), float(n >= 3 && n > 2), float(n <= 2), float(a <= 2.0));
}
