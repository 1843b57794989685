// GLSL 1.20, 4.1.9: An array without a size has the size that constant indices need.
// value: 6 0 0 1
#version 120
void main() {
    float a[];
    a[5] = 4.0;
    a[1] = 2.0;
    gl_FragColor = vec4(a[5] + a[1], 0.0, 0.0, 1.0);
}
