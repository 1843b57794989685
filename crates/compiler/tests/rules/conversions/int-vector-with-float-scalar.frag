// GLSL 3.30, 5.9: An ivec and a float: the ivec is converted.
// value: 1.5 3 0 1
#version 330
out vec4 color;
void main() {
    vec2 a = ivec2(1, 2) * 1.5;
    color = vec4(a, 0.0, 1.0);
}
