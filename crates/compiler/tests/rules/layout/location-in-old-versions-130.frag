// GLSL 1.30, 4.3.8: Outputs have no layout here.
#version 130
out vec4 color;
layout(location = 0) out vec4 a; //~ error

void main() {
    color = vec4(1.0);
}
