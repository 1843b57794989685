// GLSL 1.10, 3.6: `packed` is reserved.
#version 110
void main() {
    float packed = 1.0; //~ error: `packed` is a reserved word of GLSL 1.10, it cannot be a name
}
