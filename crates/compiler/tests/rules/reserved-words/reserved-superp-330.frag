// GLSL 3.30, 3.6: `superp` is reserved.
#version 330
out vec4 color;
void main() {
    float superp = 1.0; //~ error
}
