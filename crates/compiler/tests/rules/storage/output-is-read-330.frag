// GLSL 3.30, 4.3.6: An output can be read and changed like a variable.
// value: 3 1 2 1
#version 330
out vec4 color;
void main() {
    color = vec4(1.0, 2.0, 3.0, 1.0);
    color.xyz = color.zxy;
}
