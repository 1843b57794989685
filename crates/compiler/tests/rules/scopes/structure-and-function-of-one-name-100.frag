// ES 1.00, 4.2.6: Variables, functions and types of one scope have different names.
#version 100
precision mediump float;
struct S { float a; };
float S(float a) { return a; } //~ error
float T(float a) { return a; }
struct T { float a; }; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
