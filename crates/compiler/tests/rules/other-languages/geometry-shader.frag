// GLSL 3.30, 4.3.8: A geometry shader is no fragment shader.
#version 330
out vec4 color;
layout(triangles) in; //~ error: there is no layout `triangles`

void main() {
    color = vec4(1.0);
}
