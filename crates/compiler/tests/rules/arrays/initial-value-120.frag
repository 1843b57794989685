// GLSL 1.20, 4.1.9: An array has another as its initial value.
// value: 1 2 0 1
#version 120
void main() {
    float a[2];
    a[0] = 1.0; a[1] = 2.0;
    float b[2] = a;
    gl_FragColor = vec4(b[0], b[1], 0.0, 1.0);
}
