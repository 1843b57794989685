// GLSL 3.30, 4.1.9: length is a function without arguments.
#version 330
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    int n = a.length; //~ error: `length` needs brackets
    int m = a.length(1); //~ error: a value of type `float[3]` has no function `length`
    int o = a.size(); //~ error: a value of type `float[3]` has no function `size`
}
