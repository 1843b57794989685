// GLSL 3.30, 8: saturate, lerp and the like are functions of HLSL.
#version 330
out vec4 color;
uniform vec2 u;

void main() {
    float a = saturate(u.x); //~ error
    vec2 b = lerp(u, u.yx, 0.5); //~ error
    float c = frac(u.x); //~ error
    float d = rsqrt(u.x); //~ error
    float e = atan2(u.x, u.y); //~ error
    vec2 f = mul(mat2(1.0), u); //~ error
    float g = fmod(u.x, 2.0); //~ error
    vec2 h = ddx(u); //~ error
}
