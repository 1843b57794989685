// GLSL 3.30, 6.1: A shader may define a function that is built in, and then calls its own.
// value: 7 0 0 1
#version 330
out vec4 color;
float sin(float x) { return x + 4.0; }

void main() {
    color = vec4(sin(3.0), 0.0, 0.0, 1.0);
}
