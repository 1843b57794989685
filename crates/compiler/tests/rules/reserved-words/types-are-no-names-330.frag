// GLSL 3.30, 3.6: The names of built-in types are keywords, so nothing else has them.
#version 330
out vec4 color;
void main() {
    float vec2 = 1.0; //~ error: the type `vec2` cannot be a name
    float int = 1.0; //~ error: the type `int` cannot be a name
    float mat3 = 1.0; //~ error: the type `mat3` cannot be a name
    float sampler2D = 1.0; //~ error: the type `sampler2D` cannot be a name
}
