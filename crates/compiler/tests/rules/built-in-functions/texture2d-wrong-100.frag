// ES 1.00, 8.7: texture2D takes a sampler2D and a vec2.
#version 100
precision mediump float;
uniform sampler2D s;

void main() {
    vec4 a = texture2D(s, 1.0); //~ error: no function `texture2D` takes (sampler2D, float)
    vec4 b = texture2D(s, vec3(1.0)); //~ error: no function `texture2D` takes (sampler2D, vec3)
    vec4 c = texture2D(s); //~ error: no function `texture2D` takes (sampler2D)
    vec4 d = texture2D(vec2(1.0), s); //~ error: no function `texture2D` takes (vec2, sampler2D)
    vec4 e = texture2D(s, vec2(1.0), 1.0, 1.0); //~ error: no function `texture2D` takes (sampler2D, vec2, float, float)
    vec4 f = texture2DProj(s, vec2(1.0)); //~ error: no function `texture2DProj` takes (sampler2D, vec2)
    float g = texture2D(s, vec2(1.0)); //~ error: the initial value is of type `vec4`; expected `float`
}
