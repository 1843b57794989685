// ES, 1.00: Without `#version` an int for a float is a warning, since other versions convert it.
// value: 1 1 0 1
precision mediump float;
void main() {
    float a = 1; //~ warning
    vec2 b = vec2(1.0) * 2 - 1; //~ warning
    gl_FragColor = vec4(a, b.x, 0.0, 1.0);
}
