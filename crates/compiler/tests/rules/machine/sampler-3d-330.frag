// GLSL 3.30, 4.1.7: The machine has inputs of two dimensions only: no sampler3D.
#version 330
out vec4 color;
uniform sampler3D s; //~ error: inputs of type `sampler3D` are not supported

void main() {
    color = vec4(1.0);
}
