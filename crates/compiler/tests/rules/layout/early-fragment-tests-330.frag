// GLSL 3.30, 4.3.8: `early_fragment_tests` belongs to later versions.
#version 330
out vec4 color;
layout(early_fragment_tests) in; //~ error: GLSL 3.30 has no layout `early_fragment_tests`

void main() {
    color = vec4(1.0);
}
