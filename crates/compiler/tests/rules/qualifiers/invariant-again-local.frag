// ES 1.00, 4.6.1: `invariant` is only allowed at global scope.
#version 100
precision mediump float;
varying vec2 a;

void main() {
    invariant a; //~ error: this declaration is only allowed at global scope
}
