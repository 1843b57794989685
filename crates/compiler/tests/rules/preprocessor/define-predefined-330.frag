// GLSL 3.30, 3.3: Predefined macros are not defined again.
#version 330
out vec4 color;
#define __LINE__ 1 //~ error
#define __FILE__ 1 //~ error
#define __VERSION__ 110 //~ error

void main() {
    color = vec4(1.0);
}
