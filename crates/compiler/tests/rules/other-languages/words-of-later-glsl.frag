// GLSL 3.30, 3.6: Words of later versions.
#version 330
out vec4 color;
layout(binding = 0) uniform sampler2D s; //~ error: GLSL 3.30 has no layout `binding`

void main() {
    double a; //~ error: the machine has no `double`
}
