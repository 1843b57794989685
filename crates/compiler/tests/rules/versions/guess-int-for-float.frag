// GLSL, 1.10: Without `#version` an int for a float is a warning, since other versions convert it.
// value: 1 1.5 0 1
// set n = 3
uniform int n;
void main() {
    float a = 1; //~ warning
    float b = n * 0.5; //~ warning
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
