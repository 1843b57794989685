// GLSL 3.30, 4.1.7: An array of samplers is indexed by constant expressions only.
#version 330
out vec4 color;
uniform sampler2D s[2];
uniform int n;

void main() {
    color = texture(s[n], vec2(0.5)); //~ error: which sampler this is must be known when the shader is compiled
}
