// ES 1.00, 6.3: `for` computes its start once, then condition, body and step in turn.
// value: 6 0 0 1
#version 100
precision mediump float;
void main() {
    float a = 0.0;
    for (int i = 1; i <= 3; i++) a += float(i);
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
