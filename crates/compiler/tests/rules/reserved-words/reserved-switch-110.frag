// GLSL 1.10, 3.6: `switch` and `default` are reserved.
#version 110
void main() {
    float switch = 1.0; //~ error: `switch` is a reserved word of GLSL 1.10, it cannot be a name
    float default = 1.0; //~ error: `default` is a reserved word of GLSL 1.10, it cannot be a name
}
