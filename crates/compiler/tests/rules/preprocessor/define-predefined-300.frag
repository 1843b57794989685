#version 300 es
// ES 3.00, 3.4: Predefined macros are not defined again.
precision highp float;
out vec4 color;
#define __LINE__ 1 //~ error
#define __FILE__ 1 //~ error
#define __VERSION__ 110 //~ error
#define GL_ES 2 //~ error

void main() {
    color = vec4(1.0);
}
