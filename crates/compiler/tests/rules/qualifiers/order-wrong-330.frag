// GLSL 3.30, 4.7: The order is interpolation, storage, precision.
#version 330
out vec4 color;
in smooth vec2 a; //~ error
in flat int b; //~ error
mediump in vec2 c; //~ error

void main() {
    color = vec4(1.0);
}
