// ES 1.00, 6.4: `discard` is no value and no call.
#version 100
precision mediump float;
void main() {
    float a = discard; //~ error: expected an expression, found `discard`
    discard(); //~ error: expected `;` after `discard`, found `(`
}
