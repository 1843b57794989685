#version 300 es
// ES 3.00, 4.3.9: A local variable has no interpolation.
precision highp float;
out vec4 color;
void main() {
    smooth float a = 1.0; //~ error: `smooth` is not allowed on a variable of a function
    flat in float b; //~ error: `flat` is not allowed on a variable of a function
}
