// GLSL 3.30, 6.1: `void` alone says that there are no parameters; no parameter is void.
#version 330
out vec4 color;
float f(void, float a) { return 1.0; } //~ error: a parameter cannot be `void`
float g(float a, void) { return 1.0; } //~ error: a parameter cannot be `void`
float h(void a) { return 1.0; } //~ error: a parameter cannot be `void`

void main() {
    color = vec4(1.0);
}
