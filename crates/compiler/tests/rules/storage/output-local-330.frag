// GLSL 3.30, 4.3.6: Outputs are declared at global scope.
#version 330
out vec4 color;
void main() {
    out vec4 a; //~ error: `out` is not allowed on a variable of a function
}
