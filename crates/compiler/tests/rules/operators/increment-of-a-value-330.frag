// GLSL 3.30, 5.9: `++` and `--` need something that can be written.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    1.0++; //~ error: this is a value; `++` needs a variable, or a part of one
    (a + 1.0)--; //~ error: this is a value; `--` needs a variable, or a part of one
    ++(-a); //~ error: this is a value; `++` needs a variable, or a part of one
    a++ ++; //~ error: this is a value; `++` needs a variable, or a part of one
}
