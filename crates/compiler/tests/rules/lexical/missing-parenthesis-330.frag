// GLSL 3.30, 9: Every `(` has its `)`.
#version 330
out vec4 color;
void main() {
    color = vec4(1.0, (2.0, 3.0, 4.0); //~ error: expected `)` after the arguments of a function, found `;`
}
