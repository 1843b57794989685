// GLSL 3.30, 6.1: A call of a built-in function converts its int arguments.
// value: 2 4 1 1
#version 330
out vec4 color;
const float a = max(1, 2);
const float b = pow(2, 2);

void main() {
    color = vec4(a, b, clamp(3, 0.0, 1.0), 1.0);
}
