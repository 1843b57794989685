// GLSL 3.30, 3.3: Predefined macros are not taken away.
#version 330
out vec4 color;
#undef __LINE__ //~ error: `__LINE__` is a macro of the language, it cannot be undefined
#undef __FILE__ //~ error: `__FILE__` is a macro of the language, it cannot be undefined
#undef __VERSION__ //~ error: `__VERSION__` is a macro of the language, it cannot be undefined

void main() {
    color = vec4(1.0);
}
