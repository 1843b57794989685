// GLSL 3.30, 6.1: A function and its result have no storage qualifier.
#version 330
out vec4 color;
uniform float f() { return 1.0; } //~ error: `uniform` is not allowed on the result of a function
const float g() { return 1.0; } //~ error: `const` is not allowed on the result of a function
in float h() { return 1.0; } //~ error: `in` is not allowed on the result of a function

void main() {
    color = vec4(1.0);
}
