// GLSL 3.30, 5.8: `,` gives a value, not a variable.
#version 330
out vec4 color;
void main() {
    float a, b;
    (a, b) = 1.0; //~ error: this is a value; `=` needs a variable, or a part of one
}
