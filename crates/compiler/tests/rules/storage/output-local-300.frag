#version 300 es
// ES 3.00, 4.3.6: Outputs are declared at global scope.
precision highp float;
out vec4 color;
void main() {
    out vec4 a; //~ error: `out` is not allowed on a variable of a function
}
