// GLSL 3.30, 4.1.7: A sampler has no initial value.
#version 330
out vec4 color;
uniform sampler2D s = 0; //~ error: the initial value is of type `int`; expected `sampler2D`

void main() {
    color = vec4(1.0);
}
