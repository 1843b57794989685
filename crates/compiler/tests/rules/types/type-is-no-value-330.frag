// GLSL 3.30, 5: A type alone is no value.
#version 330
out vec4 color;
void main() {
    float a = float; //~ error: expected `(` after the type of a constructor, found `;`
    color = vec4; //~ error: expected `(` after the type of a constructor, found `;`
}
