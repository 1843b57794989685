// GLSL 1.30, 6.2: A label has the type of the `switch`.
#version 130
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1.0: //~ error: this label is of type `float`; the `switch` takes `int`
        break;
    case true: //~ error: this label is of type `bool`; the `switch` takes `int`
        break;
    }
}
