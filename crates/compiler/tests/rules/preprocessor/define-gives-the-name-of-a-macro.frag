// ES 1.00, 3.4: After expansion the text is read again with what follows it.
// value: 10 0 0 1
#version 100
precision mediump float;
#define F(x) ((x) * 2.0)
#define G F

void main() {
    gl_FragColor = vec4(G(5.0), 0.0, 0.0, 1.0);
}
