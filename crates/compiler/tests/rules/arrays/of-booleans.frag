// GLSL 3.30, 4.1.9: The elements may be bools.
// value: 1 0 0 1
// set b = 1
#version 330
out vec4 color;
uniform bool b;

void main() {
    bool a[2] = bool[](b, !b);
    color = vec4(a[0], a[1], 0.0, 1.0);
}
