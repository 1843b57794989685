// ES 1.00, 3.4: `defined` is an operator, so no macro has this name.
#version 100
precision mediump float;
#define defined 1 //~ error: `defined` cannot be defined

void main() {
    gl_FragColor = vec4(1.0);
}
