// GLSL 3.30, 4.3.7: A block is declared outside of functions.
#version 330
out vec4 color;
void main() {
    uniform Block { //~ error: a block is only possible outside of functions
        vec4 a;
    };
    color = vec4(1.0);
}
