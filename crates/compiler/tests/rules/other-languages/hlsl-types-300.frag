#version 300 es
// ES 3.00, 4.1: float4 and the like are types of HLSL.
precision highp float;
out vec4 color;
uniform float4 u; //~ error

void main() {
    float3 a = float3(1.0); //~ error
    int2 b; //~ error
    bool2 c; //~ error
    float4x4 m; //~ error
}
