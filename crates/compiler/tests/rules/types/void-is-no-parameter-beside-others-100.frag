// ES 1.00, 6.1: `void` alone says that there are no parameters; no parameter is void.
#version 100
precision mediump float;
float f(void, float a) { return 1.0; } //~ error: a parameter cannot be `void`
float g(float a, void) { return 1.0; } //~ error: a parameter cannot be `void`
float h(void a) { return 1.0; } //~ error: a parameter cannot be `void`

void main() {
    gl_FragColor = vec4(1.0);
}
