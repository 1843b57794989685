// ES 1.00, 6.1: A function is declared before it is called.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(f(1.0)); //~ error
}
float f(float a) { return a; }
