#version 300 es
// ES 3.00, 8.3: The out argument of modf is a variable.
precision highp float;
out vec4 color;
void main() {
    float a = modf(1.5, 2.0); //~ error: this is a value; the parameter of `modf` needs a variable, or a part of one
}
