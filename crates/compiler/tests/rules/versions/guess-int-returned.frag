// GLSL, 1.10: Without `#version` an int for a float that a function returns is a warning.
// value: 1 0 0 1
float f() {
    return 1; //~ warning
}
void main() {
    gl_FragColor = vec4(f(), 0.0, 0.0, 1.0);
}
