// GLSL 3.30, 4.3.3: Built-in functions of 3.00 and 3.30 give constants.
// value: 2 -2 2 3
#version 330
out vec4 color;
const float a = round(2.25);
const float b = trunc(-2.75);
const float c = roundEven(2.5);
const float d = determinant(mat2(3.0, 0.0, 1.0, 1.0));

void main() {
    color = vec4(a, b, c, d);
}
