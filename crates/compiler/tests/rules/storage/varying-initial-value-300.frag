#version 300 es
// ES 3.00, 4.3.4: An input has no initial value.
precision highp float;
out vec4 color;
in float v = 1.0; //~ error: an input has no initial value

void main() {
    color = vec4(1.0);
}
