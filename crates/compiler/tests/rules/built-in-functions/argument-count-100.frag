// ES 1.00, 8: Functions take as many arguments as they have parameters.
#version 100
precision mediump float;
void main() {
    float a = sin(); //~ error
    float b = sin(1.0, 2.0); //~ error
    float c = clamp(1.0, 2.0); //~ error
    float d = max(1.0); //~ error
    float e = max(1.0, 2.0, 3.0); //~ error
    float f = smoothstep(0.0, 1.0); //~ error
}
