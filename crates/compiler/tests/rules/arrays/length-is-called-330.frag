// GLSL 3.30, 4.1.9: length is a function without arguments.
#version 330
out vec4 color;
void main() {
    float a[3];
    a[0] = 1.0;
    int n = a.length; //~ error
    int m = a.length(1); //~ error
    int o = a.size(); //~ error
}
