// ES 1.00, 3.7: `switch` and `default` are reserved.
#version 100
precision mediump float;
void main() {
    float switch = 1.0; //~ error: `switch` is a reserved word of GLSL ES 1.00, it cannot be a name
    float default = 1.0; //~ error: `default` is a reserved word of GLSL ES 1.00, it cannot be a name
}
