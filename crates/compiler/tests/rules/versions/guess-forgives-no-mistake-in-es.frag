// ES, 1.00: What no version allows is an error, also without `#version`.
precision mediump float;
uniform int n;
varying vec2 uv;
void main() {
    int a = 1.0; //~ error: the initial value is of type `float`; expected `int`
    if (n) {} //~ error: the condition of `if` is of type `int`; expected `bool`
    uv.x = 1.0; //~ error: `uv` is an input of the shader, and cannot be written to
    n = 1; //~ error: `n` is a uniform, and cannot be written to
    gl_FragColor = vec3(1.0); //~ error: the value is of type `vec3`; expected `vec4`
}
