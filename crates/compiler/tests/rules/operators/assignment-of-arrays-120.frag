// GLSL 1.20, 5.8: An array is assigned whole.
// value: 1 2 0 1
#version 120
void main() {
    float a[2], b[2];
    a[0] = 1.0; a[1] = 2.0;
    b = a;
    gl_FragColor = vec4(b[0], b[1], 0.0, 1.0);
}
