// GLSL 1.10, 5.8: An int is not converted to float.
#version 110
uniform int n;
float g = 3; //~ error: the initial value is of type `int`; expected `float`

void main() {
    float a = 1; //~ error: the initial value is of type `int`; expected `float`
    float b = n; //~ error: the initial value is of type `int`; expected `float`
    gl_FragColor = vec4(a, g, b, 1.0);
}
