#version 300 es
// ES 3.00, 4.3.8: `early_fragment_tests` belongs to later versions.
precision highp float;
out vec4 color;
layout(early_fragment_tests) in; //~ error: GLSL ES 3.00 has no layout `early_fragment_tests`

void main() {
    color = vec4(1.0);
}
