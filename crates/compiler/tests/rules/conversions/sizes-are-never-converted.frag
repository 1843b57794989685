// GLSL 3.30, 4.1.10: No conversion changes the number of components.
#version 330
out vec4 color;
void main() {
    vec2 a = 1; //~ error
    float b = ivec2(1); //~ error
    vec3 c = ivec2(1); //~ error
    mat2 d = 1; //~ error
}
