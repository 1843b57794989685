#version 300 es
// ES 3.00, 6.2: A statement follows the last label.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1:
        break;
    case 2: //~ error: no statement follows the last label of this `switch`
    }
}
