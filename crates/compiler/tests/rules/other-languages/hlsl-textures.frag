#version 300 es
// ES 3.00, 8.8: Fetches of HLSL are functions with other names.
precision highp float;
out vec4 color;
uniform sampler2D s;

void main() {
    vec4 a = tex2D(s, vec2(0.5)); //~ error: there is no function `tex2D`
    vec4 b = s.Sample(vec2(0.5)); //~ error: a value of type `sampler2D` has no function `Sample`
}
