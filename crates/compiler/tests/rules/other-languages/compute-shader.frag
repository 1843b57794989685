// GLSL 3.30, 4.3.8: A compute shader is no fragment shader.
#version 330
out vec4 color;
layout(local_size_x = 8) in; //~ error: there is no layout `local_size_x`

void main() {
    uvec3 a = gl_GlobalInvocationID; //~ error: there is no variable `gl_GlobalInvocationID` here
}
