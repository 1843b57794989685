#version 300 es
// ES 3.00, 4.3.8.2: There is no index of outputs.
precision highp float;
layout(location = 0, index = 0) out vec4 a; //~ error: GLSL ES 3.00 has no layout `index`

void main() {
}
