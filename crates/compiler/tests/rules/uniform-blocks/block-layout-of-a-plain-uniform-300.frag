#version 300 es
// ES 3.00, 4.3.8.3: The layouts of blocks do not belong to plain uniforms.
precision highp float;
out vec4 color;
layout(std140) uniform vec4 a; //~ error: `std140` is for uniform blocks
layout(row_major) uniform mat4 b; //~ error: `row_major` is for uniform blocks

void main() {
    color = vec4(1.0);
}
