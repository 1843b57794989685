// ES 1.00, 6.4: `break` and `continue` stand within loops.
#version 100
precision mediump float;
float f() {
    break; //~ error
    return 1.0;
}

void main() {
    if (true) break; //~ error
    continue; //~ error
}
