// ES 1.00, 3.4: Predefined macros are not defined again.
#version 100
precision mediump float;
#define __LINE__ 1 //~ error
#define __FILE__ 1 //~ error
#define __VERSION__ 110 //~ error
#define GL_ES 2 //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
