// GLSL 3.30, 4.1.7: The machine's inputs are floats: no isampler2D, no usampler2D.
#version 330
out vec4 color;
uniform isampler2D s; //~ error: inputs of type `isampler2D` are not supported
uniform usampler2D t; //~ error: inputs of type `usampler2D` are not supported

void main() {
    color = vec4(1.0);
}
