// ES 1.00, 4.2.2: The body of a function is a scope within that of its parameters.
// value: 2 0 0 1
#version 100
precision mediump float;
float f(float a) {
    float a = 2.0;
    return a;
}

void main() {
    gl_FragColor = vec4(f(1.0), 0.0, 0.0, 1.0);
}
