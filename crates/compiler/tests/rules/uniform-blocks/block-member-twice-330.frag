// GLSL 3.30, 4.3.7: The members of a block have different names.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
    float a; //~ error: there are two members `a`
};

void main() {
    color = vec4(1.0);
}
