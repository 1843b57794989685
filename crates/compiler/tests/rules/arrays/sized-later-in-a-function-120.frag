// GLSL 1.20, 4.1.9: An array without a size may be declared again with one.
// value: 3 0 0 1
#version 120
void main() {
    float a[];
    float a[] = float[](1.0, 2.0);
    gl_FragColor = vec4(a[0] + a[1], 0.0, 0.0, 1.0);
}
