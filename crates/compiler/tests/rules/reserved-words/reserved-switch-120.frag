// GLSL 1.20, 3.6: `switch` and `default` are reserved.
#version 120
void main() {
    float switch = 1.0; //~ error
    float default = 1.0; //~ error
}
