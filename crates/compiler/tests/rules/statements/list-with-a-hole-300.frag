#version 300 es
// ES 3.00, 9: Each declaration after the first one of a list has a name.
precision highp float;

void main() {
    int a, , b; //~ error: expected the name of a variable, found `,`
}
