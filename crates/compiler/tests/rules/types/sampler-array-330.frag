// GLSL 3.30, 4.1.7: An array of samplers is indexed by constants.
#version 330
out vec4 color;
uniform sampler2D s[2];

void main() {
    color = texture(s[0], vec2(0.5)) + texture(s[1], vec2(0.5));
}
