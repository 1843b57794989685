// GLSL 3.30, 3.3: The call of a macro ends with `)`.
#version 330
out vec4 color;
#define NEG(a) (-(a))

void main() {
    float a = NEG(1.0; //~ error: the use of macro `NEG` has no `)`
}
