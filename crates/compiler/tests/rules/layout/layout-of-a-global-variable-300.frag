#version 300 es
// ES 3.00, 4.3.8: A variable that is neither input nor output has no layout.
precision highp float;
out vec4 color;
layout(location = 0) float a = 1.0; //~ error: `layout` is for uniforms, inputs and outputs
layout(location = 0) const float b = 1.0; //~ error: `layout` is for uniforms, inputs and outputs

void main() {
    color = vec4(1.0);
}
