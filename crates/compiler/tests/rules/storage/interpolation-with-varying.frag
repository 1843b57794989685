// GLSL 3.30, 4.3.9: Interpolation does not go with the outdated `varying`.
#version 330
out vec4 color;
flat varying float a; //~ error: `flat` does not go with `varying`
smooth varying float b; //~ error: `smooth` does not go with `varying`

void main() {
    color = vec4(1.0);
}
