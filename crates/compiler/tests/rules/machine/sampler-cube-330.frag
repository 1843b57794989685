// GLSL 3.30, 4.1.7: The machine has inputs of two dimensions only: no samplerCube.
#version 330
out vec4 color;
uniform samplerCube s; //~ error: inputs of type `samplerCube` are not supported

void main() {
    color = vec4(1.0);
}
