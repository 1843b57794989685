#version 300 es
// ES 3.00, 4.1.7: An array of samplers is indexed by constant expressions only.
precision highp float;
out vec4 color;
uniform sampler2D s[2];
uniform int n;

void main() {
    color = texture(s[n], vec2(0.5)); //~ error: which sampler this is must be known when the shader is compiled
}
