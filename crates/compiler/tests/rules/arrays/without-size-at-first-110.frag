// GLSL 1.10, 4.1.9: An array may be declared without a size, and with one later.
// value: 3 0 0 1
#version 110
float a[];
float a[4];

void main() {
    a[3] = 3.0;
    gl_FragColor = vec4(a[3], 0.0, 0.0, 1.0);
}
