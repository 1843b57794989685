// GLSL 3.30, 5.9: `==` is true where all components are equal, `!=` where any differs.
// value: 1 0 1 1
// set v = 1 2
#version 330
out vec4 color;
uniform vec2 v;

void main() {
    color = vec4(float(v == vec2(1.0, 2.0)), float(v == vec2(1.0, 3.0)), float(v != vec2(1.0, 3.0)), float(!(v != v)));
}
