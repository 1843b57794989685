// GLSL 3.30, 8: saturate, lerp and the like are functions of HLSL.
#version 330
out vec4 color;
uniform vec2 u;

void main() {
    float a = saturate(u.x); //~ error: there is no function `saturate`
    vec2 b = lerp(u, u.yx, 0.5); //~ error: there is no function `lerp`
    float c = frac(u.x); //~ error: there is no function `frac`
    float d = rsqrt(u.x); //~ error: there is no function `rsqrt`
    float e = atan2(u.x, u.y); //~ error: there is no function `atan2`
    vec2 f = mul(mat2(1.0), u); //~ error: there is no function `mul`
    float g = fmod(u.x, 2.0); //~ error: there is no function `fmod`
    vec2 h = ddx(u); //~ error: there is no function `ddx`
}
