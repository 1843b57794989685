// ES 1.00, 4.4: A parameter is no uniform and no input.
#version 100
precision mediump float;
float f(uniform float a) { return a; } //~ error: `uniform` is not allowed on a parameter
float g(varying float a) { return a; } //~ error: `varying` is not allowed on a parameter

void main() {
    gl_FragColor = vec4(1.0);
}
