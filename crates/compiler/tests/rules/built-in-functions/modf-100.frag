// ES 1.00, 8.3: There is no modf.
#version 100
precision mediump float;
uniform float u;

void main() {
    float whole;
    float f = modf(u, whole); //~ error
}
