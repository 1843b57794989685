#version 300 es
// ES 3.00, 8.3: The machine does not see the bits of a float.
precision highp float;
out vec4 color;
uniform float u;
uniform int n;

void main() {
    int a = floatBitsToInt(u); //~ error: the machine cannot read the bits of a float as those of a signed integer: expected a conversion of the number
    float b = intBitsToFloat(n); //~ error: the machine cannot read the bits of a signed integer as those of a float: expected a conversion of the number
    color = vec4(a, b, 0.0, 1.0);
}
