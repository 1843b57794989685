// GLSL 3.30, 4.1.4: Digits with an exponent are a decimal float, also when they begin with 0.
// value: 90 80 1 1
#version 330
out vec4 color;
void main() {
    color = vec4(09e1, 08E1, 01e0, 1.0);
}
