// ES 1.00, 6.3: A loop whose condition is false at first does not run.
// value: 1 0 0 1
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    for (int i = 3; i < 3; i++) a = 2.0;
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
