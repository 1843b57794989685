// GLSL 3.30, 4.1.4: A number has one point.
#version 330
out vec4 color;
void main() {
    float a = 1.0.0; //~ error: expected `;` after a declaration, found `.0`
}
