#version 300 es
// ES 3.00, 6.2: Labels stand in a `switch`.
precision highp float;
out vec4 color;
void main() {
    case 1: //~ error: a label stands directly within a `switch`
    default: //~ error: a label stands directly within a `switch`
    color = vec4(1.0);
}
