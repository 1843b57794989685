// GLSL 3.30, 5.3: A variable is not called.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    float b = a(1.0); //~ error: `a` is a variable, not a function
    a(); //~ error: `a` is a variable, not a function
}
