// GLSL 1.20, 3.6: The words of precision are reserved in 1.20.
#version 120
void main() {
    float lowp = 1.0; //~ error
    float mediump = 2.0; //~ error
    float highp = 3.0; //~ error
    float precision = 4.0; //~ error
}
