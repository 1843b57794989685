// ES 1.00, 4.2: A name counts from its declaration on.
#version 100
precision mediump float;
float f() { return g; } //~ error
float g = 1.0;

void main() {
    float a = b; //~ error
    float b = 1.0;
    gl_FragColor = vec4(f() + a);
}
