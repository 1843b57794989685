// GLSL 3.30, 5.8: What is assigned to is a variable or a part of one.
#version 330
out vec4 color;
float f() { return 1.0; }

void main() {
    float a;
    1.0 = a; //~ error: this is a value; `=` needs a variable, or a part of one
    a + 1.0 = 2.0; //~ error: this is a value; `=` needs a variable, or a part of one
    f() = 1.0; //~ error: this is a value; `=` needs a variable, or a part of one
    -a = 1.0; //~ error: this is a value; `=` needs a variable, or a part of one
    vec2(a) = vec2(1.0); //~ error: this is a value; `=` needs a variable, or a part of one
}
