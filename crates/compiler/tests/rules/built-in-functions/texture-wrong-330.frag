// GLSL 3.30, 8.7: texture takes a sampler2D and a vec2.
#version 330
out vec4 color;
uniform sampler2D s;

void main() {
    vec4 a = texture(s, vec3(1.0)); //~ error: no function `texture` takes (sampler2D, vec3)
    vec4 b = texture(s, 1.0); //~ error: no function `texture` takes (sampler2D, float)
    vec4 c = texture(s); //~ error: no function `texture` takes (sampler2D)
    vec4 d = texelFetch(s, vec2(1.0), 0); //~ error: no function `texelFetch` takes (sampler2D, vec2, int)
    vec4 e = textureLod(s, vec2(1.0)); //~ error: no function `textureLod` takes (sampler2D, vec2)
    ivec2 f = textureSize(s); //~ error: no function `textureSize` takes (sampler2D)
    vec4 g = texture(1.0, vec2(1.0)); //~ error: no function `texture` takes (float, vec2)
    vec2 h = texture(s, vec2(1.0)); //~ error: the initial value is of type `vec4`; expected `vec2`
}
