#version 300 es
// ES 3.00, 4.1.7: The machine's inputs are floats: no isampler2D, no usampler2D.
precision highp float;
out vec4 color;
uniform lowp isampler2D s; //~ error: inputs of type `isampler2D` are not supported
uniform lowp usampler2D t; //~ error: inputs of type `usampler2D` are not supported

void main() {
    color = vec4(1.0);
}
