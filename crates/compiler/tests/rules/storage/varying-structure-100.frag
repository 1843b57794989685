// ES 1.00, 4.3.5: A structure is no varying.
#version 100
precision mediump float;
struct S { float a; };
varying S s; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
