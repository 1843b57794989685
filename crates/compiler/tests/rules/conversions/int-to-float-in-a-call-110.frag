// GLSL 1.10, 6.1: An int is no argument for a float.
#version 110
float f(float a) { return a + 1.0; }

void main() {
    float a = f(2); //~ error
    float b = max(1, 2.0); //~ error
    float c = pow(2, 2); //~ error
    gl_FragColor = vec4(a, b, c, 1.0);
}
