// GLSL 3.30, 6.1: An int argument is converted for a float parameter.
// value: 3 2 4 1
#version 330
out vec4 color;
float f(float a) { return a + 1.0; }

void main() {
    float a = f(2);
    float b = max(1, 2.0);
    float c = pow(2, 2);
    color = vec4(a, b, c, 1.0);
}
