// ES 1.00, 3.4: `#error` is an error with its text.
#version 100
precision mediump float;
#error this shader needs more //~ error: #error this shader needs more

void main() {
    gl_FragColor = vec4(1.0);
}
