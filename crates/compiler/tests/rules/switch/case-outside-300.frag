#version 300 es
// ES 3.00, 6.2: Labels stand in a `switch`.
precision highp float;
out vec4 color;
void main() {
    case 1: //~ error
    default: //~ error
    color = vec4(1.0);
}
