// GLSL 1.20, 6.1: A shader's own function replaces the built-in one of the same types.
// value: 9 0 0 1
#version 120
float max(float a, float b) { return 9.0; }

void main() {
    gl_FragColor = vec4(max(1.0, 2.0), 0.0, 0.0, 1.0);
}
