// GLSL 3.30, 6.1: `(void)` is an empty list of parameters.
// value: 2 0 0 1
#version 330
out vec4 color;
float f(void) { return 2.0; }
void main(void) {
    color = vec4(f(), 0.0, 0.0, 1.0);
}
