// GLSL 1.30, 3.6: `packed` is reserved.
#version 130
out vec4 color;
void main() {
    float packed = 1.0; //~ error: `packed` is a reserved word of GLSL 1.30, it cannot be a name
}
