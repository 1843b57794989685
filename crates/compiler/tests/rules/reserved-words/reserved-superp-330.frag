// GLSL 3.30, 3.6: `superp` is reserved.
#version 330
out vec4 color;
void main() {
    float superp = 1.0; //~ error: `superp` is a reserved word of GLSL 3.30, it cannot be a name
}
