// ES 1.00, 4.2: Functions have their own local variables.
// value: 1 2 0 1
#version 100
precision mediump float;
float f() { float a = 1.0; return a; }
float g() { float a = 2.0; return a; }

void main() {
    float a = f();
    gl_FragColor = vec4(a, g(), 0.0, 1.0);
}
