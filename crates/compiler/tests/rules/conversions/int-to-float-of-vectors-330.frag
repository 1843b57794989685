// GLSL 3.30, 4.1.10: Vectors of ints are converted to those of floats.
// value: 1 2 6 8
#version 330
out vec4 color;
void main() {
    vec2 a = ivec2(1, 2);
    vec2 b = ivec2(3, 4) * vec2(2.0);
    color = vec4(a, b);
}
