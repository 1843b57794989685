// GLSL, 1.10: Without `#version` a constructor of an array is a warning.
// value: 1 2 0 1
void main() {
    float a[2] = float[2](1.0, 2.0); //~ warning
    gl_FragColor = vec4(a[0], a[1], 0.0, 1.0);
}
