// ES 1.00, 6.3: The parts of `for` are separated by semicolons.
#version 100
precision mediump float;
void main() {
    for (int i = 0, i < 3, i++) {} //~ error: expected `;` after a declaration, found `<`
}
