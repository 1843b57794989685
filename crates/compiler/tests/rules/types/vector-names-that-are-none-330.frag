// GLSL 3.30, 4.1.5: There are no vectors of one or five.
#version 330
out vec4 color;
void main() {
    vec1 a; //~ error
    vec5 b; //~ error
    float2 c; //~ error
}
