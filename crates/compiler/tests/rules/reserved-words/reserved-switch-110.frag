// GLSL 1.10, 3.6: `switch` and `default` are reserved.
#version 110
void main() {
    float switch = 1.0; //~ error
    float default = 1.0; //~ error
}
