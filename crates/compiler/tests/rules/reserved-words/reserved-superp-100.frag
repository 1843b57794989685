// ES 1.00, 3.7: `superp` is reserved.
#version 100
precision mediump float;
void main() {
    float superp = 1.0; //~ error: `superp` is a reserved word of GLSL ES 1.00, it cannot be a name
}
