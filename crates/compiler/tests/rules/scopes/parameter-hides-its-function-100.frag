// ES 1.00, 4.2.2: A parameter may be called like its function.
// value: 3 0 0 1
#version 100
precision mediump float;
float f(float f) { return f; }

void main() {
    gl_FragColor = vec4(f(3.0), 0.0, 0.0, 1.0);
}
