// ES 1.00, 5.9: A function without its call is no value.
#version 100
precision mediump float;
float f() { return 1.0; }

void main() {
    float a = f; //~ error
    float b = f + 1.0; //~ error
    gl_FragColor = vec4(sin); //~ error
}
