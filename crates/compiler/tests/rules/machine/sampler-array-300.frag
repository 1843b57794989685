#version 300 es
// ES 3.00, 4.1.7: The machine has inputs of two dimensions only: no sampler2DArray.
precision highp float;
out vec4 color;
uniform lowp sampler2DArray s; //~ error: inputs of type `sampler2DArray` are not supported

void main() {
    color = vec4(1.0);
}
