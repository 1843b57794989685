// GLSL 3.30, 4.1.7: The machine has inputs of two dimensions only: no sampler2DArray.
#version 330
out vec4 color;
uniform sampler2DArray s; //~ error: inputs of type `sampler2DArray` are not supported

void main() {
    color = vec4(1.0);
}
