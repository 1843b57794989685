// GLSL 1.20, 6.1: An array may be the result of a function.
// value: 1 2 0 1
#version 120
float[2] f() { return float[2](1.0, 2.0); }

void main() {
    float a[2] = f();
    gl_FragColor = vec4(a[0], f()[1], 0.0, 1.0);
}
