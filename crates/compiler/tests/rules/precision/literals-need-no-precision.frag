// ES 1.00, 4.5.2: Literals have no precision and need none.
// value: 1 0.5 0 1
#version 100
void main() {
    gl_FragColor = vec4(1.0, 0.25 + 0.25, 0.0, 1.0);
}
