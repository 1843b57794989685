#version 300 es
// ES 3.00, 6.2: A label has the type of the `switch`.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1u: //~ error: this label is of type `uint`; the `switch` takes `int`
        break;
    case 1.0: //~ error: this label is of type `float`; the `switch` takes `int`
        break;
    case true: //~ error: this label is of type `bool`; the `switch` takes `int`
        break;
    }
}
