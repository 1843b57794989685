// GLSL 3.30, 5.4.1: A scalar from a vector is its first component.
// value: 5 6 1 7
// set v = 5.5 2 3
#version 330
out vec4 color;
uniform vec3 v;

void main() {
    color = vec4(float(ivec2(5, 8)), int(vec2(6.5, 1.0)), float(bool(v)), float(mat2(7.0)));
}
