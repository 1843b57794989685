// ES 1.00, 3.7: `switch` and `default` are reserved.
#version 100
precision mediump float;
void main() {
    float switch = 1.0; //~ error
    float default = 1.0; //~ error
}
