// GLSL 3.30, 4.1: float4 and the like are types of HLSL.
#version 330
out vec4 color;
uniform float4 u; //~ error

void main() {
    float3 a = float3(1.0); //~ error
    int2 b; //~ error
    bool2 c; //~ error
    float4x4 m; //~ error
}
