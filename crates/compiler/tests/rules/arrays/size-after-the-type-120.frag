// GLSL 1.20, 4.1.9: The size may come after the type, and then counts for all names.
// value: 1 2 0 1
#version 120
void main() {
    float[2] a, b;
    a[1] = 1.0;
    b[0] = 2.0;
    gl_FragColor = vec4(a[1], b[0], 0.0, 1.0);
}
