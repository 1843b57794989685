// GLSL 3.30, 6.1: A function may be declared again after its definition.
// value: 2 0 0 1
#version 330
out vec4 color;
float f(float a) { return a + 1.0; }
float f(float);

void main() {
    color = vec4(f(1.0), 0.0, 0.0, 1.0);
}
