// GLSL 1.30, 8.7: Fetches with a level are possible in fragment shaders.
#version 130
out vec4 color;
uniform sampler2D s;

void main() {
    color = texture2DLod(s, vec2(0.5), 0.0);
}
