#version 300 es
// ES 3.00, 3.7: `flat` and `smooth` are keywords.
precision highp float;
out vec4 color;
void main() {
    float flat = 1.0; //~ error: expected the name of a variable, found the keyword `flat`
    float smooth = 1.0; //~ error: expected the name of a variable, found the keyword `smooth`
}
