// GLSL 3.30, 5.8: The right side is read before the left one is written.
// value: 2 1 4 3
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    v.xy = v.yx;
    v.zw = v.wz;
    color = v;
}
