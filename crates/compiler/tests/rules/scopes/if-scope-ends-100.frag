// ES 1.00, 6.2: What the single statement of `if` declares ends with it.
#version 100
precision mediump float;
uniform float u;

void main() {
    if (u > 0.5) float a = 42.0;
    gl_FragColor = vec4(a); //~ error
}
