#version 300 es
// ES 3.00, 4.7: The order is interpolation, storage, precision.
precision highp float;
out vec4 color;
in smooth vec2 a; //~ error
in flat int b; //~ error
mediump in vec2 c; //~ error

void main() {
    color = vec4(1.0);
}
