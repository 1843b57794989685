// GLSL 3.30, 4.3.7: A block is declared at global scope.
#version 330
out vec4 color;
void main() {
    uniform Block { //~ error: a block is only allowed at global scope
        vec4 a;
    };
    color = vec4(1.0);
}
