// GLSL 3.30, 6.2: A statement follows the last label.
#version 330
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1:
        break;
    case 2: //~ error: no statement follows the last label of this `switch`
    }
}
