// GLSL 3.30, 4.1.3: A number has one suffix.
#version 330
out vec4 color;
void main() {
    uint a = 1uu; //~ error: `1uu` is not a number
    uint b = 1lu; //~ error: `1lu` is not a number
}
