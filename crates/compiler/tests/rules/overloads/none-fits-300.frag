#version 300 es
// ES 3.00, 6.1: A call needs a function that fits.
precision highp float;
out vec4 color;
float f(float a) { return 1.0; }
float f(vec2 a) { return 2.0; }

void main() {
    float a = f(vec3(1.0)); //~ error: no function `f` takes (vec3)
    float b = f(true); //~ error: no function `f` takes (bool)
    float c = f(1.0, 2.0); //~ error: no function `f` takes (float, float)
}
