// GLSL 3.30, 3.6: The names of built-in types are keywords, so nothing else has them.
#version 330
out vec4 color;
void main() {
    float vec2 = 1.0; //~ error
    float int = 1.0; //~ error
    float mat3 = 1.0; //~ error
    float sampler2D = 1.0; //~ error
}
