// GLSL 1.30, 4.3.7: Interpolation does not go with the outdated `varying`.
#version 130
out vec4 color;
flat varying float a; //~ error
smooth varying float b; //~ error

void main() {
    color = vec4(1.0);
}
