// GLSL 1.10, 6.1: An int is no argument for a float.
#version 110
float f(float a) { return a + 1.0; }

void main() {
    float a = f(2); //~ error: no function `f` takes (int)
    float b = max(1, 2.0); //~ error: no function `max` takes (int, float)
    float c = pow(2, 2); //~ error: no function `pow` takes (int, int)
    gl_FragColor = vec4(a, b, c, 1.0);
}
