// GLSL 3.30, 4.1.10: No conversion changes the number of components.
#version 330
out vec4 color;
void main() {
    vec2 a = 1; //~ error: the initial value is of type `int`; expected `vec2`
    float b = ivec2(1); //~ error: the initial value is of type `ivec2`; expected `float`
    vec3 c = ivec2(1); //~ error: the initial value is of type `ivec2`; expected `vec3`
    mat2 d = 1; //~ error: the initial value is of type `int`; expected `mat2`
}
