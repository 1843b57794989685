// ES 1.00, 4.1.1: A call of a function without a result is no value.
#version 100
precision mediump float;
void f() {}

void main() {
    float a = f(); //~ error: this function has no result: it is `void`
    float b = 1.0 + f(); //~ error: this function has no result: it is `void`
    gl_FragColor = vec4(f(), 1.0); //~ error: this function has no result: it is `void`
}
