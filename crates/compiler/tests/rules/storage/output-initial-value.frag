#version 300 es
// ES 3.00, 4.3.6: An output has no initial value.
precision highp float;
out vec4 color;
out vec4 a = vec4(1.0); //~ error: an output has no initial value

void main() {
    color = vec4(1.0);
}
