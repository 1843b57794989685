// ES 1.00, 5.5: A component has one of the letters.
#version 100
precision mediump float;
void main() {
    vec4 v = vec4(1.0);
    float a = v.m; //~ error: `vec4` has no member `m`
    float b = v.u; //~ error: `vec4` has no member `u`
    vec2 c = v.uv; //~ error: `vec4` has no member `uv`
    float d = v.X; //~ error: `vec4` has no member `X`
    float e = v.color; //~ error: `vec4` has no member `color`
}
