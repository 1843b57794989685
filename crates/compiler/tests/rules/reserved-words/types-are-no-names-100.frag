// ES 1.00, 3.7: The names of built-in types are keywords, so nothing else has them.
#version 100
precision mediump float;
void main() {
    float vec2 = 1.0; //~ error
    float int = 1.0; //~ error
    float mat3 = 1.0; //~ error
    float sampler2D = 1.0; //~ error
}
