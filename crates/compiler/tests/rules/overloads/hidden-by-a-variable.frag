#version 300 es
// ES 3.00, 4.2.2: A local variable hides all functions of its name.
precision highp float;
out vec4 color;
float f(float a) { return 1.0; }
float f(vec2 a) { return 2.0; }

void main() {
    int f = 1;
    float a = f(vec2(1.0)); //~ error: `f` is a variable, not a function
}
