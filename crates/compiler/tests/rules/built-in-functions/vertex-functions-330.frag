// GLSL 3.30, 8: These functions belong to other shaders.
#version 330
out vec4 color;
void main() {
    EmitVertex(); //~ error: there is no function `EmitVertex`
    barrier(); //~ error: there is no function `barrier`
}
