#version 300 es
// ES 3.00, 5.9: A function without its call is no value.
precision highp float;
out vec4 color;
float f() { return 1.0; }

void main() {
    float a = f; //~ error: `f` is a function, not a value
    float b = f + 1.0; //~ error: `f` is a function, not a value
    color = vec4(sin); //~ error: there is no variable `sin`
}
