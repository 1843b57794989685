// ES 1.00, 3.7: `flat` is reserved.
#version 100
precision mediump float;
void main() {
    float flat = 1.0; //~ error: `flat` is a reserved word of GLSL ES 1.00, it cannot be a name
}
