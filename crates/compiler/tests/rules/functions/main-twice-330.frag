// GLSL 3.30, 6.1: A shader has one `main`.
#version 330
out vec4 color;
void main() {
    color = vec4(1.0);
}
void main() { //~ error: the function `main` is defined twice
}
