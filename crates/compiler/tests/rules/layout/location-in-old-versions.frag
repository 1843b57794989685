// GLSL 1.50, 4.3.8: Outputs have no layout here.
#version 150
out vec4 color;
layout(location = 0) out vec4 a; //~ error: GLSL 1.50 has no layout `location`

void main() {
    color = vec4(1.0);
}
