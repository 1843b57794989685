// GLSL 3.30, 4.3.8.3: `layout(...) uniform;` sets what holds for the blocks below.
#version 330
out vec4 color;
layout(std140) uniform;
layout(row_major) uniform;
uniform Block {
    mat4 m;
    vec4 a;
};

void main() {
    color = a + m[1];
}
