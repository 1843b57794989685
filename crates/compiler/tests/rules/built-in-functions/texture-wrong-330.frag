// GLSL 3.30, 8.7: texture takes a sampler2D and a vec2.
#version 330
out vec4 color;
uniform sampler2D s;

void main() {
    vec4 a = texture(s, vec3(1.0)); //~ error
    vec4 b = texture(s, 1.0); //~ error
    vec4 c = texture(s); //~ error
    vec4 d = texelFetch(s, vec2(1.0), 0); //~ error
    vec4 e = textureLod(s, vec2(1.0)); //~ error
    ivec2 f = textureSize(s); //~ error
    vec4 g = texture(1.0, vec2(1.0)); //~ error
    vec2 h = texture(s, vec2(1.0)); //~ error
}
