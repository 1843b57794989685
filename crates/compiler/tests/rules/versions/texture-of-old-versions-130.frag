// GLSL 1.30, 8.7: Fetches are `texture`, whatever the sampler.
#version 130
out vec4 color;
uniform sampler2D s;

void main() {
    color = texture(s, vec2(0.5));
}
