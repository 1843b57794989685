// GLSL 3.30, 6.2: Labels occur directly in the block of the `switch`, not in a nested block.
#version 330
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 1:
        if (true) {
        case 2: //~ error: a label must be directly inside a `switch`
            break;
        }
    }
}
