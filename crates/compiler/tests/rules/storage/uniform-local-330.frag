// GLSL 3.30, 4.3.5: A uniform is declared at global scope.
#version 330
out vec4 color;
void main() {
    uniform float u; //~ error: `uniform` is not allowed on a variable of a function
}
