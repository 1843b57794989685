// ES 1.00, 3.4: Predefined macros are not taken away.
#version 100
precision mediump float;
#undef __LINE__ //~ error
#undef __FILE__ //~ error
#undef __VERSION__ //~ error
#undef GL_ES //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
