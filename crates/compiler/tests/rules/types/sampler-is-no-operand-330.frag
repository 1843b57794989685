// GLSL 3.30, 4.1.7: Samplers are no operands.
#version 330
out vec4 color;
uniform sampler2D s, t;

void main() {
    bool a = s == t; //~ error
    float b = s + 1.0; //~ error
    color = vec4(s); //~ error
    true ? s : t; //~ error
}
