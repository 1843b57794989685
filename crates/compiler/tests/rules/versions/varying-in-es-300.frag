#version 300 es
// ES 3.00, 4.3: ES 3.00 has `in` and `out` instead of `varying` and `attribute`.
precision highp float;
out vec4 color;
varying vec2 uv; //~ error: `varying` is a keyword of GLSL 1.10 and GLSL ES 1.00, not of GLSL ES 3.00

void main() {
    color = vec4(1.0);
}
