// GLSL 1.10, 3.6: `packed` is reserved.
#version 110
void main() {
    float packed = 1.0; //~ error
}
