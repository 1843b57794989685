#version 300 es
// ES 3.00, 6.2: A label has the type of the `switch`.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1u: //~ error
        break;
    case 1.0: //~ error
        break;
    case true: //~ error
        break;
    }
}
