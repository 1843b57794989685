// ES 1.00, 4.2: A name counts from its declaration on.
#version 100
precision mediump float;
float f() { return g; } //~ error: there is no variable `g`
float g = 1.0;

void main() {
    float a = b; //~ error: there is no variable `b`
    float b = 1.0;
    gl_FragColor = vec4(f() + a);
}
