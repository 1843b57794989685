// GLSL 3.30, 6.2: Labels stand in a `switch`.
#version 330
out vec4 color;
void main() {
    case 1: //~ error: a label stands directly within a `switch`
    default: //~ error: a label stands directly within a `switch`
    color = vec4(1.0);
}
