// ES, 1.00: What no version allows is an error, also without `#version`.
precision mediump float;
uniform int n;
varying vec2 uv;
void main() {
    int a = 1.0; //~ error
    if (n) {} //~ error
    uv.x = 1.0; //~ error
    n = 1; //~ error
    gl_FragColor = vec3(1.0); //~ error
}
