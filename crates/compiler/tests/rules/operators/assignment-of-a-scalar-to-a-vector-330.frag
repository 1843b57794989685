// GLSL 3.30, 5.8: The types of an assignment are equal: a scalar is not a vector.
#version 330
out vec4 color;
void main() {
    vec2 a = 1.0; //~ error
    a = 2.0; //~ error
    float b = vec2(1.0); //~ error
    vec3 c = vec4(1.0); //~ error
    mat2 d = 1.0; //~ error
}
