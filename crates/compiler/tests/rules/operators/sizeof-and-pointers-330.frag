// GLSL 3.30, 5.1: There are no pointers, no addresses, no casts.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    float b = *a; //~ error
    float c = (float)a; //~ error
    float d = a->x; //~ error
}
