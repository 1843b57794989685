// ES 1.00, 4.3.4: A uniform is declared at global scope.
#version 100
precision mediump float;
void main() {
    uniform float u; //~ error: `uniform` is not allowed on a variable of a function
}
