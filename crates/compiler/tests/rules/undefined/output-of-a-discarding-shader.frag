// GLSL 3.30, 7.2: A shader that ends every point needs no output.
#version 330
out vec4 color;
void main() {
    discard;
}
