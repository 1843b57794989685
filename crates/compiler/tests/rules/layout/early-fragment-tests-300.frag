#version 300 es
// ES 3.00, 4.3.8: `early_fragment_tests` belongs to later versions.
precision highp float;
out vec4 color;
layout(early_fragment_tests) in; //~ error

void main() {
    color = vec4(1.0);
}
