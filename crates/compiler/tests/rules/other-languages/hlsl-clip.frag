#version 300 es
// ES 3.00, 8: `clip` is a function of HLSL.
precision highp float;
out vec4 color;
uniform float u;

void main() {
    clip(u); //~ error: there is no function `clip`
}
