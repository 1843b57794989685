// GLSL 1.10, 6.1: A function may be declared several times.
// value: 2 0 0 1
#version 110
float f(float a);
float f(float b);
float f(float a) { return a + 1.0; }

void main() {
    gl_FragColor = vec4(f(1.0), 0.0, 0.0, 1.0);
}
