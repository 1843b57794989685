// GLSL 3.30, 5.5: A swizzle of a swizzle can be written.
// value: 1 9 8 4
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    v.xyz.zy = vec2(8.0, 9.0);
    color = v;
}
