#version 300 es
// ES 3.00, 3.7: The names of built-in types are keywords, so nothing else has them.
precision highp float;
out vec4 color;
void main() {
    float vec2 = 1.0; //~ error
    float int = 1.0; //~ error
    float mat3 = 1.0; //~ error
    float sampler2D = 1.0; //~ error
}
