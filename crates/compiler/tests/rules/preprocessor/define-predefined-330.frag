// GLSL 3.30, 3.3: Predefined macros are not defined again.
#version 330
out vec4 color;
#define __LINE__ 1 //~ error: `__LINE__` is a macro of the language, it cannot be defined
#define __FILE__ 1 //~ error: `__FILE__` is a macro of the language, it cannot be defined
#define __VERSION__ 110 //~ error: `__VERSION__` is a macro of the language, it cannot be defined

void main() {
    color = vec4(1.0);
}
