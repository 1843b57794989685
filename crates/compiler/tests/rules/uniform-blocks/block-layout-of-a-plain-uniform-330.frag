// GLSL 3.30, 4.3.8.3: The layouts of blocks do not belong to plain uniforms.
#version 330
out vec4 color;
layout(std140) uniform vec4 a; //~ error: `std140` is for uniform blocks
layout(row_major) uniform mat4 b; //~ error: `row_major` is for uniform blocks

void main() {
    color = vec4(1.0);
}
