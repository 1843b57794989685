// GLSL 3.30, 5.4.2: A vector of numbers from one bool is all 1 or all 0.
// value: 1 1 0 1
// set b = 1
#version 330
out vec4 color;
uniform bool b;

void main() {
    color = vec4(vec3(b).xy, float(ivec2(!b).y), vec4(b).w);
}
