// ES 1.00, 4.1.8: A structure has members.
#version 100
precision mediump float;
struct S {}; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
