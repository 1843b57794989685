// GLSL 1.30, 3.6: `flat` and `smooth` are keywords.
#version 130
out vec4 color;
void main() {
    float flat = 1.0; //~ error: expected the name of a variable, found the keyword `flat`
    float smooth = 1.0; //~ error: expected the name of a variable, found the keyword `smooth`
}
