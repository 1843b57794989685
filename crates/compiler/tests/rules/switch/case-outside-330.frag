// GLSL 3.30, 6.2: Labels occur only in a `switch`.
#version 330
out vec4 color;
void main() {
    case 1: //~ error: a label must be directly inside a `switch`
    default: //~ error: a label must be directly inside a `switch`
    color = vec4(1.0);
}
