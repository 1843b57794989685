// GLSL 1.30, 8.3: round, roundEven and trunc round to integers; roundEven takes the even of two that are equally
// near.
// value: 3 2 -2 4
// set u = 2.75
#version 130
out vec4 color;
uniform float u;

void main() {
    float a = round(u);
    float b = roundEven(u - 0.25);
    float c = trunc(-u);
    color = vec4(a, b, c, roundEven(u + 0.75));
}
