// ES 1.00, 4.3.5: Inputs are declared at global scope.
#version 100
precision mediump float;
void main() {
    varying float v; //~ error: `varying` is not allowed on a variable of a function
}
