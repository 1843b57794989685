// GLSL 3.30, 6.2: A colon ends a label.
#version 330
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1 //~ error: expected `:` after the value of `case`
        break;
    }
}
