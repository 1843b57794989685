// GLSL 3.30, 4.3.8.1: The inputs of a fragment shader have no location.
#version 330
out vec4 color;
layout(location = 0) in vec4 a; //~ error: GLSL 3.30 has no layout `location` of inputs

void main() {
    color = vec4(1.0);
}
