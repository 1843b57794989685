// GLSL 3.30, 4.3.7: A block's name is declared once.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
};
uniform Block { //~ error: there are two blocks `Block`
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
