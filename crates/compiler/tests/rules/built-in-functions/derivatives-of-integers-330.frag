// GLSL 3.30, 8.8: Derivatives are of floats.
#version 330
out vec4 color;
uniform int n;
uniform mat2 m;
uniform bool b;

void main() {
    mat2 c = dFdy(m); //~ error: no function `dFdy` takes (mat2)
    float d = fwidth(b); //~ error: no function `fwidth` takes (bool)
}
