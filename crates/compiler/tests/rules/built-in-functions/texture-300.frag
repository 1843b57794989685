#version 300 es
// ES 3.00, 8.8: The fetches of a sampler2D.
precision highp float;
out vec4 color;
uniform sampler2D s;
in vec2 uv;

void main() {
    color = texture(s, uv) + textureProj(s, vec3(uv, 1.0)) + textureProj(s, vec4(uv, 1.0, 1.0));
    color += textureLod(s, uv, 0.0) + textureOffset(s, uv, ivec2(1, -1)) + texelFetch(s, ivec2(uv), 0);
    color += textureProjLod(s, vec3(uv, 1.0), 0.0) + vec4(textureSize(s, 0), 0, 0);
}
