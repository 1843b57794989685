// GLSL 1.20, 6.1: A function may be declared several times.
// value: 2 0 0 1
#version 120
float f(float a);
float f(float b);
float f(float a) { return a + 1.0; }

void main() {
    gl_FragColor = vec4(f(1.0), 0.0, 0.0, 1.0);
}
