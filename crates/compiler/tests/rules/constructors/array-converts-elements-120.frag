// GLSL 1.20, 5.4.4: An int is converted for an element of float.
// value: 1 2 0 1
#version 120
void main() {
    float a[2] = float[2](1, 2.0);
    gl_FragColor = vec4(a[0], a[1], 0.0, 1.0);
}
