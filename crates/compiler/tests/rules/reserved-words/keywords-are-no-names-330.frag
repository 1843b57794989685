// GLSL 3.30, 3.6: Keywords cannot be names.
#version 330
out vec4 color;
void main() {
    float if = 1.0; //~ error
    float struct = 1.0; //~ error
    float uniform = 1.0; //~ error
    float discard = 1.0; //~ error
    float true = 1.0; //~ error
    float return = 1.0; //~ error
}
