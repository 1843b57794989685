// GLSL 1.30, 8.3: mix with bools chooses.
// value: 1 4 0 1
// set b = 0
#version 130
out vec4 color;
uniform bool b;

void main() {
    vec2 v = mix(vec2(1.0, 2.0), vec2(3.0, 4.0), bvec2(b, !b));
    color = vec4(v, 0.0, 1.0);
}
