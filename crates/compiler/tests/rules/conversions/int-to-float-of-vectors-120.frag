// GLSL 1.20, 4.1.10: Vectors of ints are converted to those of floats.
// value: 1 2 6 8
#version 120
void main() {
    vec2 a = ivec2(1, 2);
    vec2 b = ivec2(3, 4) * vec2(2.0);
    gl_FragColor = vec4(a, b);
}
