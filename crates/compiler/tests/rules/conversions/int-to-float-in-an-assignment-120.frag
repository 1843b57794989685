// GLSL 1.20, 4.1.10: An int is converted to float in assignments.
// value: 6 2 0 1
#version 120
void main() {
    float a = 1.0, b;
    a = 4;
    a += 2;
    b = a > 0.0 ? 2 : 3;
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
