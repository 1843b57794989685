// GLSL 3.30, 4.3.4: Inputs are declared at global scope.
#version 330
out vec4 color;
void main() {
    in float v; //~ error: `in` is not allowed on a variable of a function
}
