// ES 1.00, 4.5.2: A variable has one precision.
#version 100
precision mediump float;
void main() {
    lowp mediump float a = 1.0; //~ error
    highp highp float b = 1.0; //~ error
}
