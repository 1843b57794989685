// ES 1.00, 8.7: texture2D takes a sampler2D and a vec2.
#version 100
precision mediump float;
uniform sampler2D s;

void main() {
    vec4 a = texture2D(s, 1.0); //~ error
    vec4 b = texture2D(s, vec3(1.0)); //~ error
    vec4 c = texture2D(s); //~ error
    vec4 d = texture2D(vec2(1.0), s); //~ error
    vec4 e = texture2D(s, vec2(1.0), 1.0, 1.0); //~ error
    vec4 f = texture2DProj(s, vec2(1.0)); //~ error
    float g = texture2D(s, vec2(1.0)); //~ error
}
