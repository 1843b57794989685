// GLSL 3.30, 4.3.8: Uniforms have no location.
#version 330
out vec4 color;
layout(location = 0) uniform vec4 a; //~ error: GLSL 3.30 has no layout `location` of uniforms

void main() {
    color = vec4(1.0);
}
