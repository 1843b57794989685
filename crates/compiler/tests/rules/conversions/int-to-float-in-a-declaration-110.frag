// GLSL 1.10, 5.8: An int is not converted to float.
#version 110
uniform int n;
float g = 3; //~ error

void main() {
    float a = 1; //~ error
    float b = n; //~ error
    gl_FragColor = vec4(a, g, b, 1.0);
}
