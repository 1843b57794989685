#version 300 es
// ES 3.00, 4.1.7: The machine does not compare depths: no shadow samplers.
precision highp float;
out vec4 color;
uniform lowp sampler2DShadow s; //~ error: inputs of type `sampler2DShadow` are not supported

void main() {
    color = vec4(1.0);
}
