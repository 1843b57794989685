// ES 1.00, 8: These functions belong to other shaders.
#version 100
precision mediump float;
void main() {
    EmitVertex(); //~ error: there is no function `EmitVertex`
    barrier(); //~ error: there is no function `barrier`
}
