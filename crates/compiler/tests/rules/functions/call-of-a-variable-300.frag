#version 300 es
// ES 3.00, 5.3: A variable is not called.
precision highp float;
out vec4 color;
void main() {
    float a = 1.0;
    float b = a(1.0); //~ error: `a` is a variable, not a function
    a(); //~ error: `a` is a variable, not a function
}
