#version 300 es
// ES 3.00, 6.2: A `switch` begins with a case.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    float a;
    switch (n) {
        a = 1.0; //~ error: a statement precedes the first label of `switch`
    case 1:
        break;
    }
}
