// GLSL 1.30, 8.8: Derivatives are of floats.
#version 130
out vec4 color;
uniform int n;
uniform mat2 m;
uniform bool b;

void main() {
    float a = dFdx(n); //~ error
    mat2 c = dFdy(m); //~ error
    float d = fwidth(b); //~ error
}
