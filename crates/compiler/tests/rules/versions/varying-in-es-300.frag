#version 300 es
// ES 3.00, 4.3: ES 3.00 has `in` and `out` instead of `varying` and `attribute`.
precision highp float;
out vec4 color;
varying vec2 uv; //~ error

void main() {
    color = vec4(1.0);
}
