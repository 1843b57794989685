// ES 1.00, 3.4: Predefined macros are not taken away.
#version 100
precision mediump float;
#undef __LINE__ //~ error: `__LINE__` is a macro of the language, it cannot be undefined
#undef __FILE__ //~ error: `__FILE__` is a macro of the language, it cannot be undefined
#undef __VERSION__ //~ error: `__VERSION__` is a macro of the language, it cannot be undefined
#undef GL_ES //~ error: `GL_ES` is a macro of the language, it cannot be undefined

void main() {
    gl_FragColor = vec4(1.0);
}
