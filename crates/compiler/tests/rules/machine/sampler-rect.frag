// GLSL 3.30, 4.1.7: A sampler2DRect is an input too: its coordinates count elements.
#version 330
out vec4 color;
uniform sampler2DRect s;

void main() {
    color = texture(s, vec2(0.5)) + vec4(textureSize(s), 0, 0);
}
