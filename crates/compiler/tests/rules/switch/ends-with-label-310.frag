#version 310 es
// ES 3.10, 6.2: The last label of a switch needs no statement.
// value: 2 2 2 2
// set i = 3
precision highp float;
layout(location = 0) out vec4 color;
uniform int i;

void main() {
    color = vec4(2.0);
    switch (i) {
        case 0:
            color = vec4(1.0);
            break;
        default:
    }
}
