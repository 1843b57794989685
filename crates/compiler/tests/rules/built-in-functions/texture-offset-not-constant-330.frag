// GLSL 3.30, 8.7: The offset of a fetch is a constant expression.
#version 330
out vec4 color;
uniform sampler2D s;
uniform ivec2 o;

void main() {
    vec4 a = textureOffset(s, vec2(0.5), o); //~ error: the offset of a fetch must be a constant expression
}
