#version 300 es
// ES 3.00, 3.4: `#error` is an error with its text.
precision highp float;
out vec4 color;
#error this shader needs more //~ error

void main() {
    color = vec4(1.0);
}
