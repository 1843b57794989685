// GLSL 3.30, 5.9: The int side of `:` is converted where the other is a float.
// value: 1 2.5 0 1
// set b = 1
#version 330
out vec4 color;
uniform bool b;

void main() {
    float a = b ? 1 : 2.5;
    color = vec4(a, b ? 2.5 : 1, 0.0, 1.0);
}
