// GLSL 1.40, 4.1.7: The machine has inputs of two dimensions only: no samplerBuffer.
#version 140
out vec4 color;
uniform samplerBuffer s; //~ error

void main() {
    color = vec4(1.0);
}
