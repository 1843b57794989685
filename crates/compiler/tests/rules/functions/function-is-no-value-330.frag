// GLSL 3.30, 5.9: A function without its call is no value.
#version 330
out vec4 color;
float f() { return 1.0; }

void main() {
    float a = f; //~ error: `f` is a function, not a value
    float b = f + 1.0; //~ error: `f` is a function, not a value
    color = vec4(sin); //~ error: there is no variable `sin`
}
