// GLSL 3.30, 5.5: Components are called xyzw, rgba or stpq.
// value: 1 2 3 4
// set v = 1 2 3 4
#version 330
out vec4 color;
uniform vec4 v;

void main() {
    color = vec4(v.x, v.g, v.p, v.w + v.a - v.q);
}
