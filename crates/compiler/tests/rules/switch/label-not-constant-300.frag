#version 300 es
// ES 3.00, 6.2: A label is a constant expression.
precision highp float;
out vec4 color;
uniform int n, m;

void main() {
    int k = 1;
    switch (n) {
    case k: //~ error: a label must be a constant expression
        break;
    case m: //~ error: a label must be a constant expression
        break;
    }
}
