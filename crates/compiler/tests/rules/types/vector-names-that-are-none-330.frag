// GLSL 3.30, 4.1.5: There are no vectors of one or five.
#version 330
out vec4 color;
void main() {
    vec1 a; //~ error: there is no type `vec1`
    vec5 b; //~ error: there is no type `vec5`
    float2 c; //~ error: there is no type `float2`
}
