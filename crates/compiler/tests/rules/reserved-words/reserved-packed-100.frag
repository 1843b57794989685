// ES 1.00, 3.7: `packed` is reserved.
#version 100
precision mediump float;
void main() {
    float packed = 1.0; //~ error: `packed` is a reserved word of GLSL ES 1.00, it cannot be a name
}
