// ES 1.00, 4.6.1: `invariant` is only allowed at global scope.
#version 100
precision mediump float;
void main() {
    invariant float a = 1.0; //~ error: `invariant` is not allowed on a variable of a function
}
