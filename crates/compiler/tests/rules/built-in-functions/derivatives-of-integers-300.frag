#version 300 es
// ES 3.00, 8.9: Derivatives are of floats.
precision highp float;
out vec4 color;
uniform int n;
uniform mat2 m;
uniform bool b;

void main() {
    float a = dFdx(n); //~ error: no function `dFdx` takes (int)
    mat2 c = dFdy(m); //~ error: no function `dFdy` takes (mat2)
    float d = fwidth(b); //~ error: no function `fwidth` takes (bool)
}
