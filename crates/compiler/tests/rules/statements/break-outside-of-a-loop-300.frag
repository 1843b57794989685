#version 300 es
// ES 3.00, 6.4: `break` and `continue` stand within loops.
precision highp float;
out vec4 color;
float f() {
    break; //~ error
    return 1.0;
}

void main() {
    if (true) break; //~ error
    continue; //~ error
}
