// GLSL 3.30, 5.5: A swizzle of a variable can be written.
// value: 9 8 3 7
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    v.yx = vec2(8.0, 9.0);
    v.w = 7.0;
    color = v;
}
