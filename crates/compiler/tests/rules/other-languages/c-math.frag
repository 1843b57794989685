#version 300 es
// ES 3.00, 8: These functions are C's.
precision highp float;
out vec4 color;
void main() {
    float a = fabs(1.0); //~ error: there is no function `fabs`
    float b = sqrtf(2.0); //~ error: there is no function `sqrtf`
    float c = powf(2.0, 2.0); //~ error: there is no function `powf`
    float d = fmin(1.0, 2.0); //~ error: there is no function `fmin`
}
