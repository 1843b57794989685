// ES 1.00, 6.4: `break` and `continue` occur only inside loops.
#version 100
precision mediump float;
float f() {
    break; //~ error: `break` is not within a loop or `switch`
    return 1.0;
}

void main() {
    if (true) break; //~ error: `break` is not within a loop or `switch`
    continue; //~ error: `continue` is not within a loop
}
