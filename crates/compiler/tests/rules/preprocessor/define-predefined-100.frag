// ES 1.00, 3.4: Predefined macros are not defined again.
#version 100
precision mediump float;
#define __LINE__ 1 //~ error: `__LINE__` is a macro of the language, it cannot be defined
#define __FILE__ 1 //~ error: `__FILE__` is a macro of the language, it cannot be defined
#define __VERSION__ 110 //~ error: `__VERSION__` is a macro of the language, it cannot be defined
#define GL_ES 2 //~ error: `GL_ES` is a macro of the language, it cannot be defined

void main() {
    gl_FragColor = vec4(1.0);
}
