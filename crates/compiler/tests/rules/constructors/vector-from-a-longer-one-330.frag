// GLSL 3.30, 5.4.2: A vector from a longer one takes its first components.
// value: 1 2 1 4
// set v = 1 2 3 4
#version 330
out vec4 color;
uniform vec4 v;

void main() {
    color = vec4(vec2(v), vec3(v).x, v.w);
}
