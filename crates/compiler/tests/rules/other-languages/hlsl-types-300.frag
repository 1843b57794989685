#version 300 es
// ES 3.00, 4.1: float4 and the like are types of HLSL.
precision highp float;
out vec4 color;
uniform float4 u; //~ error: there is no type `float4`

void main() {
    float3 a = float3(1.0); //~ error: there is no type `float3`
    int2 b; //~ error: there is no type `int2`
    bool2 c; //~ error: there is no type `bool2`
    float4x4 m; //~ error: there is no type `float4x4`
}
