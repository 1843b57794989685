#version 310 es
// ES 3.10, 4.4.1: Layouts of blocks are not for `in` alone, nor `early_fragment_tests` for a variable.
precision highp float;
layout(location = 0) out vec4 color;
layout(early_fragment_tests) in;
layout(std140) uniform;
layout(std140) in; //~ error: `std140` is for uniform blocks
layout(early_fragment_tests) in vec4 a; //~ error: `early_fragment_tests` is for all of the shader

void main() {
    color = vec4(1.0);
}
