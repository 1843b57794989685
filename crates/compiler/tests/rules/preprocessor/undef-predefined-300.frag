#version 300 es
// ES 3.00, 3.4: Predefined macros are not taken away.
precision highp float;
out vec4 color;
#undef __LINE__ //~ error
#undef __FILE__ //~ error
#undef __VERSION__ //~ error
#undef GL_ES //~ error

void main() {
    color = vec4(1.0);
}
