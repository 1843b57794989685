// GLSL 3.30, 5.4.2: A vector converts every component that it takes.
// value: 1 2 0 1
// set v = 1.9 2.9
#version 330
out vec4 color;
uniform vec2 v;

void main() {
    ivec2 i = ivec2(v);
    bvec2 b = bvec2(0.0, 3);
    color = vec4(i, b);
}
