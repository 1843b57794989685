// GLSL 1.10, 6.1: A shader may define a function that is built in, and then calls its own.
// value: 7 0 0 1
#version 110
float sin(float x) { return x + 4.0; }

void main() {
    gl_FragColor = vec4(sin(3.0), 0.0, 0.0, 1.0);
}
