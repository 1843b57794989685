// ES 1.00, 4.1.4: A number has one point.
#version 100
precision mediump float;
void main() {
    float a = 1.0.0; //~ error: expected `;` after a declaration, found `.0`
}
