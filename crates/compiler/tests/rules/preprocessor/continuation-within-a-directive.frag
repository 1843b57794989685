#version 300 es
// ES 3.00, 3.4: Lines are joined before directives are read.
// value: 1.5 0 0 1
precision highp float;
out vec4 color;
#def\
ine A 1.\
5

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
