// GLSL 3.30, 6.2: Labels stand in the block of the `switch`, not in one within it.
#version 330
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1:
        if (true) {
        case 2: //~ error: a label stands directly within a `switch`
            break;
        }
    }
}
