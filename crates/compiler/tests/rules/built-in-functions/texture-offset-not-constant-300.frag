#version 300 es
// ES 3.00, 8.8: The offset of a fetch is a constant expression.
precision highp float;
out vec4 color;
uniform sampler2D s;
uniform ivec2 o;

void main() {
    vec4 a = textureOffset(s, vec2(0.5), o); //~ error: the offset of a fetch must be a constant expression
}
