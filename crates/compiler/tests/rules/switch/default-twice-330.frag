// GLSL 3.30, 6.2: There is one `default`.
#version 330
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    default:
        break;
    case 1:
        break;
    default: //~ error: two labels of this `switch` are equal
        break;
    }
}
