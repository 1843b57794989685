#version 300 es
// ES 3.00, 3.2: Lines are joined before tokens are formed, so a number may go on in the next line.
// value: 12.5 0 0 1
precision highp float;
out vec4 color;
void main() {
    color = vec4(1\
2.\
5, 0.0, 0.0, 1.0);
}
