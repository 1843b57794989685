// GLSL 3.30, 3.3: Predefined macros are not taken away.
#version 330
out vec4 color;
#undef __LINE__ //~ error
#undef __FILE__ //~ error
#undef __VERSION__ //~ error

void main() {
    color = vec4(1.0);
}
