// GLSL 3.30, 5.5: A swizzle may be taken of a swizzle.
// value: 3 2 2 1
// set v = 1 2 3 4
#version 330
out vec4 color;
uniform vec4 v;

void main() {
    color = vec4(v.wzyx.yz, v.xy.yx);
}
