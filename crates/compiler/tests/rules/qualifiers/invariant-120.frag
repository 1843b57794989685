// GLSL 1.20, 4.6.1: Inputs may be invariant as the vertex shader's outputs are.
// value: 1 0 0 1
#version 120
invariant varying vec2 a;

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
