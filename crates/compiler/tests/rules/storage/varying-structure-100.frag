// ES 1.00, 4.3.5: A structure is no varying.
#version 100
precision mediump float;
struct S { float a; };
varying S s; //~ error: in GLSL ES 1.00 an input cannot be a structure

void main() {
    gl_FragColor = vec4(1.0);
}
